/* pattern.c: glib's GRegex, loaded when the first pattern comes. */
#include "server/wda/select/pattern.h"

#include "base/buf.h"
#include "base/lazylib.h"

#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

#define SYMS(X)                                                                                \
    X(g_regex_new)                                                                             \
    X(g_regex_unref)                                                                           \
    X(g_regex_match_full)                                                                      \
    X(g_match_info_matches)                                                                    \
    X(g_match_info_fetch_pos)                                                                  \
    X(g_match_info_unref)                                                                      \
    X(g_error_free)
struct glib {
    SYMS(IA_LAZY_FIELD)
};

static struct glib lib;
static struct ia_err lib_err;
static enum ia_rc lib_rc;

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct glib, fn),
    static const struct ia_lazy_sym syms[] = {SYMS(ROW)};
#undef ROW
    static const char *const names[] = {"libglib-2.0.so.0", "libglib-2.0.0.dylib", NULL};
    lib_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &lib, &lib_err);
}

/* PCRE counts how often a match takes a step back; its own limit is ten million, seconds of work. */
#define STEPS_BACK "(*LIMIT_MATCH=100000)"
/* About what most matches cost; so the time is looked at after ten of those that give up. */
enum { STEPS_A_MATCH = 10000 };

struct ia_wda_pattern {
    GRegex *regex;
};

static enum ia_rc compile(const char *text, unsigned flags, GRegex **ret, struct ia_err *err)
{
    GError *why = NULL;
    GRegexCompileFlags options = flags & IA_WDA_PATTERN_NO_CASE ? G_REGEX_CASELESS : 0;
    *ret = lib.g_regex_new_(text, options, 0, &why);
    if (*ret) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_PARSE, "%s", why ? why->message : "a bad pattern");
    if (why) {
        lib.g_error_free_(why);
    }
    return rc;
}

/* By itself first: as a part, a bracket too many would close the group around it. */
static enum ia_rc compile_whole(struct ia_str text, unsigned flags, GRegex **ret,
                                struct ia_err *err)
{
    struct ia_buf b = IA_BUF(text.n + 100);
    ia_buf_putstr(&b, text);
    enum ia_rc rc = compile(ia_buf_cstr(&b), flags, ret, err);
    if (rc == IA_OK) {
        lib.g_regex_unref_(*ret);
        bool whole = flags & IA_WDA_PATTERN_WHOLE;
        ia_buf_reset(&b);
        ia_buf_puts(&b, STEPS_BACK);
        ia_buf_puts(&b, whole ? "\\A(?:" : "");
        ia_buf_putstr(&b, text);
        ia_buf_puts(&b, whole ? ")\\z" : "");
        rc = compile(ia_buf_cstr(&b), flags, ret, err);
    }
    ia_buf_fini(&b);
    return rc;
}

enum ia_rc ia_wda_pattern_new(struct ia_str text, unsigned flags, struct ia_wda_pattern **ret,
                              struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (lib_rc != IA_OK) {
        if (err) {
            *err = lib_err;
        }
        return lib_rc;
    }
    GRegex *regex = NULL;
    enum ia_rc rc = compile_whole(text, flags, &regex, err);
    if (rc == IA_OK) {
        *ret = ia_alloc(sizeof(**ret));
        (*ret)->regex = regex;
    }
    return rc;
}

void ia_wda_pattern_free(struct ia_wda_pattern *p)
{
    if (p) {
        lib.g_regex_unref_(p->regex);
        free(p);
    }
}

static void read_groups(const GMatchInfo *info, struct ia_wda_span ret[IA_WDA_GROUPS_MAX])
{
    for (int i = 0; i < IA_WDA_GROUPS_MAX; i++) {
        gint from = 0, to = 0;
        bool took = lib.g_match_info_fetch_pos_(info, i, &from, &to) && from >= 0 && to >= from;
        ret[i] =
            took ? (struct ia_wda_span){(size_t)from, (size_t)to} : (struct ia_wda_span){0};
    }
}

bool ia_wda_pattern_find(const struct ia_wda_pattern *p, struct ia_str text, size_t from,
                         struct ia_wda_effort *effort,
                         struct ia_wda_span ret[IA_WDA_GROUPS_MAX])
{
    if (from > text.n || !ia_wda_spend(effort, STEPS_A_MATCH)) {
        return false;
    }
    GMatchInfo *info = NULL;
    GError *gave_up = NULL;
    (void)lib.g_regex_match_full_(p->regex, text.p ? text.p : "", (gssize)text.n, (gint)from, 0,
                                  &info, &gave_up);
    bool found = !gave_up && lib.g_match_info_matches_(info);
    if (found) {
        read_groups(info, ret);
    }
    if (gave_up) {
        effort->spent = true;
        lib.g_error_free_(gave_up);
    }
    if (info) {
        lib.g_match_info_unref_(info);
    }
    return found;
}
