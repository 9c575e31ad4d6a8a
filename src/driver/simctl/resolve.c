/* resolve.c: which simulator a person means. The first stage with a match decides:
 *
 *     1  name is NAME                      3  name begins with NAME
 *     2  NAME of "NAME, RUNTIME"           4  the same, of "NAME, RUNTIME"
 *
 * Of several matches the booted one wins if there is just one. Otherwise the error lists them. */
#include "base/buf.h"
#include "base/suggest.h"
#include "driver/simctl/list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_MAX = 4 }; /* candidates that fit into a message */

struct criteria {
    struct ia_str name;
    struct ia_str runtime; /* n 0: any */
    bool prefix;           /* the name may go on */
};

/* What met a wish. */
struct matches {
    const struct ia_sim *sims[IA_SIM_CANDIDATES_MAX];
    size_t count;
    const struct ia_sim *booted;
    size_t booted_count;
    const struct ia_sim *unavailable; /* the first of them */
    const struct ia_sim *elsewhere;   /* the name is right, the runtime is another one */
    bool several_names;
};

/* ---- matching ---------------------------------------------------------------------------- */

static bool name_matches(const struct ia_sim *sim, const struct criteria *w)
{
    size_t n = strlen(sim->name);
    bool long_enough = w->prefix ? n >= w->name.n : n == w->name.n;
    return long_enough && strncasecmp(sim->name, w->name.p, w->name.n) == 0;
}

/* "26" and "26.2" meet 26.2; "2" does not. */
static bool version_matches(const char *version, struct ia_str text)
{
    return text.n > 0 && strncmp(version, text.p, text.n) == 0 &&
           (version[text.n] == '\0' || version[text.n] == '.');
}

static bool runtime_matches(const struct ia_sim *sim, struct ia_str text)
{
    size_t n = strlen(sim->platform);
    const char *version = sim->runtime + n + (sim->runtime[n] == ' ');
    if (text.n == 0 || (text.n == strlen(sim->runtime_id) &&
                        strncasecmp(text.p, sim->runtime_id, text.n) == 0)) {
        return true;
    }
    if (text.n > n && strncasecmp(text.p, sim->platform, n) == 0 && text.p[n] == ' ') {
        text = (struct ia_str){text.p + n + 1, text.n - n - 1};
    }
    return version_matches(version, text);
}

static void count_sim(struct matches *t, const struct ia_sim *sim)
{
    t->several_names =
        t->several_names || (t->count > 0 && strcasecmp(t->sims[0]->name, sim->name) != 0);
    /* Counted beyond the cap too: the error says how many there are. */
    if (t->count < IA_SIM_CANDIDATES_MAX) {
        t->sims[t->count] = sim;
    }
    t->count++;
    if (sim->state == IA_SIM_BOOTED) {
        t->booted = sim;
        t->booted_count++;
    }
}

static void add_if_matching(struct matches *t, const struct ia_sim *sim,
                            const struct criteria *w)
{
    if (!name_matches(sim, w)) {
        return;
    }
    if (!runtime_matches(sim, w->runtime)) {
        t->elsewhere = t->elsewhere ? t->elsewhere : sim;
    } else if (!sim->available) {
        t->unavailable = t->unavailable ? t->unavailable : sim;
    } else {
        count_sim(t, sim);
    }
}

static bool matches(const struct ia_sim_list *l, const struct criteria *w, struct matches *t)
{
    *t = (struct matches){.count = 0};
    for (size_t i = 0; i < l->count; i++) {
        add_if_matching(t, &l->sims[i], w);
    }
    return t->count > 0 || t->unavailable || t->elsewhere;
}

static struct ia_str trimmed(const char *p, size_t n)
{
    for (; n > 0 && p[0] == ' '; n--) {
        p++;
    }
    for (; n > 0 && p[n - 1] == ' '; n--) {
    }
    return (struct ia_str){p, n};
}

/* Tries the stages in their order. */
static bool search(const struct ia_sim_list *l, const struct ia_sim_query *q,
                   struct criteria *w, struct matches *t)
{
    size_t n = strlen(q->name);
    const char *comma = q->runtime ? NULL : strrchr(q->name, ',');
    for (int stage = 0; stage < 4; stage++) {
        bool split = stage % 2 == 1;
        *w = (struct criteria){trimmed(q->name, n), ia_str(q->runtime), stage >= 2};
        if (split && comma) {
            w->name = trimmed(q->name, (size_t)(comma - q->name));
            w->runtime = trimmed(comma + 1, strlen(comma + 1));
        }
        if ((!split || comma) && w->name.n > 0 && matches(l, w, t)) {
            return true;
        }
    }
    return false;
}

/* ---- errors ------------------------------------------------------------------------------ */

static void put_candidates(const struct matches *t, struct ia_buf *out)
{
    for (size_t i = 0; i < t->count && i < SHOWN_MAX; i++) {
        const struct ia_sim *s = t->sims[i];
        ia_buf_printf(out, "\n%s, %s, %s, %s", s->name, s->runtime, s->state_text, s->udid);
    }
    if (t->count > SHOWN_MAX) {
        ia_buf_printf(out, "\nand %zu more", t->count - SHOWN_MAX);
    }
}

static bool one_runtime(const struct matches *t)
{
    for (size_t i = 1; i < t->count && i < IA_SIM_CANDIDATES_MAX; i++) {
        if (strcmp(t->sims[0]->runtime, t->sims[i]->runtime) != 0) {
            return false;
        }
    }
    return true;
}

static enum ia_rc ambiguous(const struct matches *t, const char *what, struct ia_sim_found *ret,
                            struct ia_err *err)
{
    struct ia_buf names = IA_BUF(4096);
    put_candidates(t, &names);
    enum ia_rc rc = ia_err_set(err, IA_E_AMBIGUOUS, "%s: %zu simulators match%s", what,
                               t->count, ia_buf_cstr(&names));
    if (t->several_names || one_runtime(t)) {
        ia_err_hint(err, "give the %s, as ios-agent devices shows it",
                    t->several_names ? "whole name or the UDID" : "UDID");
    } else {
        ia_err_hint(err, "say which iOS: \"%s, %s\" or --runtime; or give the UDID",
                    t->sims[0]->name, t->sims[0]->runtime);
    }
    memcpy(ret->candidates, t->sims, sizeof(ret->candidates));
    ret->candidate_count = t->count;
    ia_buf_fini(&names);
    return rc;
}

/* The name is known, but nothing of it can be used. */
static enum ia_rc unusable(const struct matches *t, const struct criteria *w,
                           struct ia_err *err)
{
    const struct ia_sim *s = t->unavailable;
    if (s) {
        (void)ia_err_set(err, IA_E_NO_DEVICE, "%s, %s (%s) is not available: %s", s->name,
                         s->runtime, s->udid, s->problem[0] != '\0' ? s->problem : "no reason");
        ia_err_hint(err, "install its runtime (xcodebuild -downloadPlatform iOS, or Xcode's "
                         "settings under Components), or choose another: ios-agent devices");
        return IA_E_NO_DEVICE;
    }
    s = t->elsewhere;
    (void)ia_err_set(err, IA_E_NO_DEVICE,
                     "there is a simulator \"%s\" with %s, but none with %.*s", s->name,
                     s->runtime, (int)w->runtime.n, w->runtime.p);
    ia_err_hint(err, "ios-agent devices lists what there is; xcodebuild -downloadPlatform iOS "
                     "installs a runtime");
    return IA_E_NO_DEVICE;
}

static enum ia_rc unknown(const struct ia_sim_list *l, struct ia_str name, struct ia_err *err)
{
    const char **names = ia_calloc(l->count + 1, sizeof(*names));
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (l->sims[i].available) {
            names[n++] = l->sims[i].name;
        }
    }
    const char *nearest = ia_nearest(name, names, n);
    (void)ia_err_set(err, IA_E_NO_DEVICE, "there is no simulator \"%.*s\"", (int)name.n,
                     name.p);
    if (nearest) {
        ia_err_hint(err, "did you mean \"%s\"? ios-agent devices lists all", nearest);
    } else if (n > 0) {
        ia_err_hint(err, "ios-agent devices lists all; for example, \"%s\"", names[0]);
    } else {
        ia_err_hint(err, "there are no simulators: create one with ios-agent sim create, or "
                         "install a runtime: xcodebuild -downloadPlatform iOS");
    }
    free(names);
    return IA_E_NO_DEVICE;
}

/* ---- deciding ---------------------------------------------------------------------------- */

static enum ia_rc decide(const struct matches *t, const struct criteria *w,
                         struct ia_sim_found *ret, struct ia_err *err)
{
    if (t->count == 0) {
        return unusable(t, w, err);
    }
    if (t->count > 1 && (t->several_names || t->booted_count != 1)) {
        struct ia_buf what = IA_BUF(512);
        ia_buf_printf(&what, "\"%.*s\" is ambiguous", (int)w->name.n, w->name.p);
        enum ia_rc rc = ambiguous(t, ia_buf_cstr(&what), ret, err);
        ia_buf_fini(&what);
        return rc;
    }
    ret->sim = t->count == 1 ? t->sims[0] : t->booted;
    return IA_OK;
}

static enum ia_rc find_booted(const struct ia_sim_list *l, const char *runtime,
                              struct ia_sim_found *ret, struct ia_err *err)
{
    struct matches t = {.count = 0};
    for (size_t i = 0; i < l->count; i++) {
        const struct ia_sim *sim = &l->sims[i];
        bool phone = strcmp(sim->platform, "iOS") == 0;
        if (phone && sim->state == IA_SIM_BOOTED && runtime_matches(sim, ia_str(runtime))) {
            count_sim(&t, sim);
        }
    }
    if (t.count > 1) {
        return ambiguous(&t, "no simulator was named, and several are booted", ret, err);
    }
    if (t.count == 0) {
        (void)ia_err_set(err, IA_E_NO_DEVICE, "no simulator was named, and none is booted");
        ia_err_hint(err, "boot one: ios-agent boot \"%s\"; ios-agent devices lists all",
                    l->count > 0 ? l->sims[0].name : "iPhone 17");
        return IA_E_NO_DEVICE;
    }
    ret->sim = t.sims[0];
    return IA_OK;
}

static enum ia_rc find_udid(const struct ia_sim_list *l, const char *udid,
                            struct ia_sim_found *ret, struct ia_err *err)
{
    const struct ia_sim *sim = ia_sim_by_udid(l, udid);
    if (!sim) {
        (void)ia_err_set(err, IA_E_NO_DEVICE, "no simulator has the UDID %s", udid);
        ia_err_hint(err, "ios-agent devices --all lists all UDIDs");
        return IA_E_NO_DEVICE;
    }
    if (!sim->available) {
        struct matches t = {.unavailable = sim};
        return unusable(&t, NULL, err);
    }
    ret->sim = sim;
    return IA_OK;
}

enum ia_rc ia_sim_resolve(const struct ia_sim_list *l, const struct ia_sim_query *query,
                          struct ia_sim_found *ret, struct ia_err *err)
{
    struct criteria w;
    struct matches t;
    *ret = (struct ia_sim_found){.sim = NULL};
    if (!query->name || query->name[0] == '\0' || strcasecmp(query->name, "booted") == 0) {
        return find_booted(l, query->runtime, ret, err);
    }
    if (ia_sim_is_udid(query->name)) {
        return find_udid(l, query->name, ret, err);
    }
    return search(l, query, &w, &t) ? decide(&t, &w, ret, err)
                                    : unknown(l, ia_str(query->name), err);
}
