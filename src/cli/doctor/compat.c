/* compat.c: the table of versions that work together, and its lookups. A new fact is a row. */
#include "cli/doctor/compat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum result { WORKS, EXPECTED, LIMITED, FAILS };
enum proof { HERE, HOSTED, DOCUMENTS };

/* From the first version up to, but not including, the second; NULL: open at that end. */
struct range {
    enum ia_compat_part part;
    const char *from, *below;
};

#define ANY(name)                                                                              \
    {                                                                                          \
        IA_COMPAT_##name, NULL, NULL                                                           \
    }
#define FROM(name, from)                                                                       \
    {                                                                                          \
        IA_COMPAT_##name, from, NULL                                                           \
    }
#define BELOW(name, below)                                                                     \
    {                                                                                          \
        IA_COMPAT_##name, NULL, below                                                          \
    }
#define IN(name, from, below)                                                                  \
    {                                                                                          \
        IA_COMPAT_##name, from, below                                                          \
    }
#define ALONE                                                                                  \
    {                                                                                          \
        IA_COMPAT_PARTS, NULL, NULL                                                            \
    }

/* doctor prints a note after the two names, and it is also a cell of a table: no "|", no line break. */
static const struct row {
    struct range what, with;
    enum result result;
    enum proof proof;
    const char *note, *source;
} rows[] = {
    /* ---- our runner on simulators ---- */
    {IN(XCODE, "16", "17"), IN(SIMULATOR, "18", "19"), EXPECTED, HOSTED,
     "builds and starts the bridge; the workflow has not run yet",
     ".github/workflows/macos.yml"},
    {IN(XCODE, "26", "27"), IN(SIMULATOR, "26", "27"), EXPECTED, HOSTED,
     "builds and starts the bridge; the workflow has not run yet",
     ".github/workflows/macos.yml"},
    {FROM(XCODE, "27"), FROM(SIMULATOR, "27"), EXPECTED, DOCUMENTS,
     "by what Apple documents; nobody has tried it", "Apple's XCTest documentation"},
    {BELOW(XCODE, "15"), IN(SIMULATOR, "17", "18"), FAILS, DOCUMENTS,
     "an Xcode before 15 cannot use simulators of iOS 17: choose another by xcode-select",
     "Xcode release notes"},
    {BELOW(XCODE, "16"), IN(SIMULATOR, "18", "19"), FAILS, DOCUMENTS,
     "an Xcode before 16 cannot use simulators of iOS 18: choose another by xcode-select",
     "Xcode release notes"},
    {BELOW(XCODE, "26"), IN(SIMULATOR, "26", "27"), FAILS, DOCUMENTS,
     "an Xcode before 26 cannot use simulators of iOS 26: choose another by xcode-select",
     "Xcode release notes"},
    {BELOW(XCODE, "27"), FROM(SIMULATOR, "27"), FAILS, DOCUMENTS,
     "an Xcode before 27 cannot use simulators of iOS 27: choose another by xcode-select",
     "Xcode release notes"},
    {BELOW(SIMULATOR, "15"), ALONE, FAILS, HERE,
     "the bridge's runner is built for iOS 15 and newer", "bridge-xcuitest/package"},
    /* ---- iPhones ---- */
    {FROM(XCODE, "27"), IN(IOS, "15", "17"), FAILS, DOCUMENTS,
     "Xcode 27 starts no runner on iOS 15 and 16: keep Xcode 26 for those",
     "appium-xcuitest-driver, pull request 2866"},
    {IN(IOS, "17", "17.4"), ALONE, LIMITED, DOCUMENTS,
     "from Linux no runner can be started on iOS 17.0 to 17.3; start it on a Mac",
     "go-ios, GADS pull request 302"},
    {IN(IOS, "26", "27"), ANY(WDA), LIMITED, DOCUMENTS,
     "on iOS 26, commands may stall for minutes while an alert is shown",
     "appium-xcuitest-driver, alert-e2e.spec.ts"},
    /* ---- WebDriverAgent ---- */
    {IN(WDA, "16.7", "17"), ALONE, WORKS, HERE,
     "its protocol, as the simulated iPhone serves it and clients of Appium speak it; on no "
     "iPhone yet",
     "tests/peers"},
    {IN(WDA, "9.3", "16.7"), ALONE, LIMITED, DOCUMENTS,
     "before 16.7 a call that hangs cannot be cancelled, and a snapshot has no deadline",
     "WebDriverAgent's changelog"},
    {BELOW(WDA, "9.3"), ALONE, FAILS, DOCUMENTS,
     "before 9.3 it does not tell the size of the window: update it",
     "WebDriverAgent's changelog"},
    {BELOW(WDA, "9.14.1"), FROM(IOS, "26"), FAILS, DOCUMENTS,
     "iOS 26 needs WebDriverAgent 9.14.1 or newer", "WebDriverAgent's changelog"},
    {BELOW(WDA, "9.14.1"), FROM(XCODE, "26"), FAILS, DOCUMENTS,
     "Xcode 26 builds WebDriverAgent 9.14.1 or newer", "WebDriverAgent's changelog"},
    {BELOW(WDA, "11.1.5"), FROM(IOS, "26.4"), FAILS, DOCUMENTS,
     "iOS 26.4 needs WebDriverAgent 11.1.5 or newer", "WebDriverAgent's changelog"},
    {BELOW(WDA, "14"), FROM(IOS, "27"), FAILS, DOCUMENTS,
     "iOS 27 needs WebDriverAgent 14 or newer", "WebDriverAgent's changelog"},
    {BELOW(WDA, "14"), FROM(XCODE, "27"), FAILS, DOCUMENTS,
     "Xcode 27 builds WebDriverAgent 14 or newer", "WebDriverAgent's changelog"},
    {FROM(WDA, "14"), BELOW(IOS, "15"), FAILS, DOCUMENTS,
     "WebDriverAgent 14 and newer run on iOS 15 and newer", "WebDriverAgent's changelog"},
    /* ---- Appium ---- */
    {IN(APPIUM, "3", "4"), IN(DRIVER, "12", "13"), WORKS, HERE,
     "Appium 3.8.0 with driver 12.13.1, over the simulated iPhone; on no iPhone yet",
     "tests/peers"},
    {IN(APPIUM, "2", "3"), IN(DRIVER, "4", "10"), EXPECTED, DOCUMENTS,
     "Appium 2 with drivers up to 9.10.5", "appium-xcuitest-driver's changelog"},
    {IN(APPIUM, "2", "3"), FROM(DRIVER, "10"), FAILS, DOCUMENTS,
     "driver 10 and newer need Appium 3", "appium-xcuitest-driver's changelog"},
    {FROM(APPIUM, "3"), BELOW(DRIVER, "10"), FAILS, DOCUMENTS,
     "Appium 3 needs driver 10 or newer", "appium-xcuitest-driver's changelog"},
    {BELOW(APPIUM, "2"), ALONE, FAILS, DOCUMENTS,
     "Appium 1 speaks an older protocol: update to Appium 3", "Appium's migration guides"},
    {FROM(APPIUM, "4"), ALONE, LIMITED, DOCUMENTS,
     "Appium 4 is a beta whose driver is not released",
     "appium-xcuitest-driver, pull request 2984"},
};

static const char *const part_names[IA_COMPAT_PARTS] = {
#define NAME(code, name) [code] = (name),
    IA_COMPAT_PART_LIST(NAME)
#undef NAME
};

/* ---- versions ---------------------------------------------------------------------------- */

/* Reads the number at *at and moves past it and the dot after it; 0 if there is none. */
static unsigned long next_number(const char **at)
{
    enum { NUMBER_MAX = 1000000 };
    unsigned long n = 0;
    while (isdigit((unsigned char)**at)) {
        n = n < NUMBER_MAX ? n * 10 + (unsigned long)(**at - '0') : n;
        (*at)++;
    }
    *at += **at == '.';
    return n;
}

int ia_compat_compare(const char *a, const char *b)
{
    while (isdigit((unsigned char)*a) || isdigit((unsigned char)*b)) {
        unsigned long x = next_number(&a), y = next_number(&b);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

void ia_compat_add(struct ia_compat *c, enum ia_compat_part part, const char *version)
{
    size_t n = strspn(version, "0123456789.");
    if (n == 0 || !isdigit((unsigned char)version[0]) || n >= IA_COMPAT_VERSION_SIZE ||
        c->count == IA_COMPAT_SEEN_MAX) {
        return;
    }
    struct ia_compat_seen *s = &c->seen[c->count++];
    s->part = part;
    (void)snprintf(s->version, sizeof(s->version), "%.*s", (int)n, version);
}

void ia_compat_read(struct ia_compat *c, const char *line)
{
    static const enum ia_compat_part told[] = {IA_COMPAT_WDA, IA_COMPAT_APPIUM, IA_COMPAT_IOS};
    for (size_t i = 0; i < IA_COUNTOF(told); i++) {
        const char *name = part_names[told[i]];
        const char *at = strstr(line, name);
        if (at && at[strlen(name)] == ' ') {
            ia_compat_add(c, told[i], at + strlen(name) + 1);
        }
    }
}

/* ---- what is here ------------------------------------------------------------------------ */

static bool within(const struct range *r, const struct ia_compat_seen *s)
{
    return s->part == r->part && (!r->from || ia_compat_compare(s->version, r->from) >= 0) &&
           (!r->below || ia_compat_compare(s->version, r->below) < 0);
}

static bool is_here(const struct range *r, const struct ia_compat *c)
{
    bool found = r->part == IA_COMPAT_PARTS;
    for (size_t i = 0; i < c->count && !found; i++) {
        found = within(r, &c->seen[i]);
    }
    return found;
}

static size_t list(const struct ia_compat *c, enum result result, struct ia_buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].result == result && is_here(&rows[i].what, c) &&
            is_here(&rows[i].with, c)) {
            ia_buf_printf(out, "%s%s", out->len > 0 ? "; " : "", rows[i].note);
            n++;
        }
    }
    return n;
}

size_t ia_compat_check(const struct ia_compat *c, struct ia_buf *out)
{
    size_t failing = list(c, FAILS, out);
    (void)list(c, LIMITED, out);
    return failing;
}

/* ---- the table --------------------------------------------------------------------------- */

static void put_range(const struct range *r, struct ia_buf *out)
{
    if (r->part == IA_COMPAT_PARTS) {
        ia_buf_puts(out, "\xe2\x80\x93");
        return;
    }
    ia_buf_puts(out, part_names[r->part]);
    if (r->from) {
        ia_buf_printf(out, " \xe2\x89\xa5 %s", r->from);
    }
    if (r->below) {
        ia_buf_printf(out, "%s < %s", r->from ? "," : "", r->below);
    }
    ia_buf_puts(out, r->from || r->below ? "" : ", any");
}

void ia_compat_doc(struct ia_buf *out)
{
    static const char *const results[] = {"works", "expected to work", "within limits",
                                          "does not work"};
    static const char *const proofs[] = {"here", "hosted Macs", "documentation"};
    ia_buf_puts(out,
                "| what | with | | shown by | note | source |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct row *r = &rows[i];
        ia_buf_puts(out, "| ");
        put_range(&r->what, out);
        ia_buf_puts(out, " | ");
        put_range(&r->with, out);
        ia_buf_printf(out, " | %s | %s | %s | %s |\n", results[r->result], proofs[r->proof],
                      r->note, r->source);
    }
}
