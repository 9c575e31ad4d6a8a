/* pattern.c: glib's GRegex, loaded when the first pattern comes. */
#include "server/wda/select/pattern.h"

#include "base/buf.h"
#include "base/glib_lib.h"

#include <stdlib.h>

/* PCRE counts how often a match takes a step back; its own limit is ten million, seconds of work. */
#define STEPS_BACK "(*LIMIT_MATCH=100000)"
/* About what most matches cost; so the time is looked at after ten of those that give up. */
enum { STEPS_A_MATCH = 10000 };

struct ia_wda_pattern {
    const struct ia_glib *glib;
    GRegex *regex;
};

static enum ia_rc compile(const struct ia_glib *glib, const char *text, unsigned flags,
                          GRegex **ret, struct ia_err *err)
{
    GError *why = NULL;
    GRegexCompileFlags options = flags & IA_WDA_PATTERN_NO_CASE ? G_REGEX_CASELESS : 0;
    *ret = glib->g_regex_new_(text, options, 0, &why);
    if (*ret) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_PARSE, "%s", why ? why->message : "a bad pattern");
    if (why) {
        glib->g_error_free_(why);
    }
    return rc;
}

/* By itself first: as a part, a bracket too many would close the group around it. */
static enum ia_rc compile_whole(const struct ia_glib *glib, struct ia_str text, unsigned flags,
                                GRegex **ret, struct ia_err *err)
{
    struct ia_buf b = IA_BUF(text.n + 100);
    ia_buf_putstr(&b, text);
    enum ia_rc rc = compile(glib, ia_buf_cstr(&b), flags, ret, err);
    if (rc == IA_OK) {
        glib->g_regex_unref_(*ret);
        bool whole = flags & IA_WDA_PATTERN_WHOLE;
        ia_buf_reset(&b);
        ia_buf_puts(&b, STEPS_BACK);
        ia_buf_puts(&b, whole ? "\\A(?:" : "");
        ia_buf_putstr(&b, text);
        ia_buf_puts(&b, whole ? ")\\z" : "");
        rc = compile(glib, ia_buf_cstr(&b), flags, ret, err);
    }
    ia_buf_fini(&b);
    return rc;
}

enum ia_rc ia_wda_pattern_new(struct ia_str text, unsigned flags, struct ia_wda_pattern **ret,
                              struct ia_err *err)
{
    const struct ia_glib *glib = ia_glib(err);
    if (!glib) {
        return IA_E_MISSING;
    }
    GRegex *regex = NULL;
    enum ia_rc rc = compile_whole(glib, text, flags, &regex, err);
    if (rc == IA_OK) {
        *ret = ia_alloc(sizeof(**ret));
        **ret = (struct ia_wda_pattern){glib, regex};
    }
    return rc;
}

void ia_wda_pattern_free(struct ia_wda_pattern *p)
{
    if (p) {
        p->glib->g_regex_unref_(p->regex);
        free(p);
    }
}

static void read_groups(const struct ia_glib *glib, const GMatchInfo *info,
                        struct ia_wda_span ret[IA_WDA_GROUPS_MAX])
{
    for (int i = 0; i < IA_WDA_GROUPS_MAX; i++) {
        gint from = 0, to = 0;
        bool took =
            glib->g_match_info_fetch_pos_(info, i, &from, &to) && from >= 0 && to >= from;
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
    const struct ia_glib *glib = p->glib;
    GMatchInfo *info = NULL;
    GError *gave_up = NULL;
    (void)glib->g_regex_match_full_(p->regex, text.p ? text.p : "", (gssize)text.n, (gint)from,
                                    0, &info, &gave_up);
    bool found = !gave_up && glib->g_match_info_matches_(info);
    if (found) {
        read_groups(glib, info, ret);
    }
    if (gave_up) {
        effort->spent = true;
        glib->g_error_free_(gave_up);
    }
    if (info) {
        glib->g_match_info_unref_(info);
    }
    return found;
}
