/* layout.c: names of streams and subjects; labels and classes. */
#include "fleet/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEEK_S = 7 * 24 * 3600, MONTH_S = 30 * 24 * 3600, LABEL_MAX = 40 };

enum ia_rc ia_fleet_make(struct ia_bus *bus, int replicas, struct ia_err *err)
{
    /* As long as a verdict is there, no second one is taken: it outlives by far what could make one. */
    const struct ia_bus_stream streams[] = {
        {.name = IA_FLEET_RUNS,
         .subjects = "ia.run.>",
         .work_queue = true,
         .per_subject = 1,
         .max_age_s = WEEK_S,
         .message_max = IA_FLEET_ORDER_MAX,
         .replicas = replicas},
        {.name = IA_FLEET_CLAIMS,
         .subjects = "ia.claim.>",
         .keeps = true,
         .max_age_s = MONTH_S, /* longer than the order that it is about */
         .per_subject = 1,
         .message_max = 4096,
         .replicas = replicas},
        {.name = IA_FLEET_PROPOSED,
         .subjects = "ia.proposed.>",
         .per_subject = 16,
         .max_age_s = WEEK_S,
         .message_max = IA_FLEET_MESSAGE_MAX,
         .replicas = replicas},
        {.name = IA_FLEET_VERDICTS,
         .subjects = "ia.verdict.>",
         .keeps = true,
         .max_age_s = MONTH_S,
         .per_subject = 1,
         .message_max = 4096,
         .replicas = replicas},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < IA_COUNTOF(streams) && rc == IA_OK; i++) {
        rc = ia_bus_add_stream(bus, &streams[i], err);
    }
    if (rc == IA_OK) {
        rc = ia_bus_add_bucket(bus, IA_FLEET_WORKERS, IA_FLEET_GONE_S, replicas, err);
    }
    return rc;
}

enum ia_rc ia_fleet_make_schedules(struct ia_bus *bus, int64_t ttl_s, int replicas,
                                   struct ia_err *err)
{
    const struct ia_bus_stream fired = {.name = IA_FLEET_FIRED,
                                        .subjects = "ia.fired.>",
                                        .keeps = true,
                                        .per_subject = 1,
                                        .max_age_s = IA_FLEET_FIRED_S,
                                        .message_max = 4096,
                                        .replicas = replicas};
    enum ia_rc rc = ia_bus_add_stream(bus, &fired, err);
    return rc == IA_OK ? ia_bus_add_bucket(bus, IA_FLEET_LEADER, ttl_s, replicas, err) : rc;
}

void ia_fleet_fired_subject(const char *schedule, int64_t due_ms,
                            char ret[IA_FLEET_SUBJECT_SIZE])
{
    int n = snprintf(ret, IA_FLEET_SUBJECT_SIZE, "ia.fired.%.100s", schedule);
    for (char *p = ret + strlen("ia.fired."); *p; p++) {
        *p = *p == '.' ? ':' : *p;
    }
    (void)snprintf(ret + n, IA_FLEET_SUBJECT_SIZE - (size_t)n, ".%lld", (long long)due_ms);
}

void ia_fleet_subject(enum ia_fleet_subject what, const char *who, const char *batch,
                      const char *run, char ret[IA_FLEET_SUBJECT_SIZE])
{
    static const char *const words[] = {"run",    "proposed", "verdict", "live", "beat",
                                        "cancel", "ask",      "answer",  "claim"};
    (void)snprintf(ret, IA_FLEET_SUBJECT_SIZE, "ia.%s%s%s.%s.%s", words[what], who ? "." : "",
                   who ? who : "", batch, run);
}

static bool word_ok(const char *s, size_t n, const char *more)
{
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)s[i]) && !strchr(more, s[i])) {
            return false;
        }
    }
    return n > 0 && n <= LABEL_MAX;
}

bool ia_fleet_name_ok(const char *name)
{
    return word_ok(name, strlen(name), "_-");
}

/* ---- labels ------------------------------------------------------------------------------ */

struct labels {
    char text[IA_FLEET_LABELS_MAX][2 * LABEL_MAX + 2];
    size_t n;
};

static bool add_label(struct labels *l, const char *s, size_t n)
{
    const char *equals = memchr(s, '=', n);
    size_t name = equals ? (size_t)(equals - s) : 0;
    if (!equals || l->n == IA_FLEET_LABELS_MAX || !word_ok(s, name, "_-") ||
        !word_ok(equals + 1, n - name - 1, "_-.:")) {
        return false;
    }
    char *to = l->text[l->n++];
    for (size_t i = 0; i < n; i++) {
        to[i] = s[i] == '.' ? ':' : (char)tolower((unsigned char)s[i]);
    }
    to[n] = '\0';
    return true;
}

static bool read_labels(const char *text, struct labels *ret)
{
    ret->n = 0;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        if (!add_label(ret, p, n)) {
            return false;
        }
        p += n + (p[n] == ',' ? 1 : 0);
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum ia_rc ia_fleet_class(const char *labels, char ret[IA_FLEET_CLASS_SIZE], struct ia_err *err)
{
    struct labels l;
    size_t at = 0;
    bool ok = read_labels(labels, &l);
    qsort(l.text, l.n, sizeof(l.text[0]), by_text);
    for (size_t i = 0; ok && i < l.n; i++) {
        int n =
            snprintf(ret + at, IA_FLEET_CLASS_SIZE - at, "%s%s", i > 0 ? "," : "", l.text[i]);
        at += (size_t)n;
        ok = at < IA_FLEET_CLASS_SIZE;
    }
    if (!ok) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "\"%.100s\" are not labels of a fleet", labels);
        ia_err_hint(err, "NAME=VALUE with commas between, at most %d: os=18,model=iphone17",
                    IA_FLEET_LABELS_MAX);
        return rc;
    }
    if (l.n == 0) {
        (void)snprintf(ret, IA_FLEET_CLASS_SIZE, "any");
    }
    return IA_OK;
}

bool ia_fleet_class_ok(const char *class_key)
{
    char again[IA_FLEET_CLASS_SIZE];
    return strcmp(class_key, "any") == 0 ||
           (class_key[0] && ia_fleet_class(class_key, again, NULL) == IA_OK &&
            strcmp(again, class_key) == 0);
}

bool ia_fleet_class_serves(const char *has, const char *needs)
{
    struct labels have;
    struct labels need;
    if (strcmp(needs, "any") == 0 || strcmp(has, needs) == 0) {
        return true;
    }
    if (!read_labels(has, &have) || !read_labels(needs, &need)) {
        return false;
    }
    for (size_t i = 0; i < need.n; i++) {
        bool found = false;
        for (size_t k = 0; k < have.n && !found; k++) {
            found = strcmp(have.text[k], need.text[i]) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

void ia_fleet_class_label(const char *class_key, const char *name, char *dst, size_t size)
{
    struct labels l;
    size_t n = strlen(name);
    dst[0] = '\0';
    if (!read_labels(class_key, &l)) {
        return;
    }
    for (size_t i = 0; i < l.n; i++) {
        if (strncmp(l.text[i], name, n) == 0 && l.text[i][n] == '=') {
            (void)snprintf(dst, size, "%s", l.text[i] + n + 1);
        }
    }
}
