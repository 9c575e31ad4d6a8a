/* html_steps.c: the steps of a run, and the film strip of its screenshots. */
#include "agent/prompts/prompts.h"
#include "agent/report/html.h"

#include <stdlib.h>
#include <string.h>

/* ---- one step ---------------------------------------------------------------------------- */

/* Lines of a diff by their first character. */
static void put_diff(const char *changes, struct ia_buf *out)
{
    for (const char *p = changes; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        const char *kind = *p == '+' ? "add" : *p == '-' ? "del" : *p == '~' ? "chg" : "same";
        ia_tmpl(out, "line.html",
                (struct ia_tmpl_var[]){IA_VAR("kind", kind), {"text", {p, n}}, {0}});
        p += n;
        p += *p == '\n' ? 1 : 0;
    }
}

/* The arguments a line each; the ref is left out where its element is shown. */
static void put_input(const struct ia_rep_step *s, struct ia_buf *out)
{
    json_t *input = json_loads(s->input, JSON_ALLOW_NUL, NULL);
    const char *key = NULL;
    json_t *v = NULL;
    if (!json_is_object(input)) {
        ia_buf_puts(out, s->input);
    }
    json_object_foreach(input, key, v)
    {
        if (strcmp(key, IA_TOOL_REF_KEY) == 0 && s->element[0] != '\0') {
            continue;
        }
        char *text = json_is_string(v) ? NULL : json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
        ia_buf_printf(out, "%s%s: %s", out->len > 0 ? "\n" : "", key,
                      text ? text : json_string_value(v));
        free(text);
    }
    json_decref(input);
}

static void put_meta(const struct ia_rep_step *s, struct ia_buf *out)
{
    if (s->done) {
        ia_buf_puts(out, "device ");
        ia_fmt_ms(out, s->ms);
    }
    if (s->tokens_in + s->tokens_out > 0) {
        ia_buf_puts(out, s->done ? " · model " : "model ");
        ia_fmt_ms(out, s->model_ms);
        ia_buf_puts(out, " · ");
        ia_fmt_count(out, s->tokens_in);
        ia_buf_puts(out, " tokens in");
        if (s->tokens_in > 0 && s->tokens_cached > 0) {
            ia_buf_puts(out, ", ");
            ia_fmt_percent(out, (double)s->tokens_cached / (double)s->tokens_in);
            ia_buf_puts(out, " cached");
        }
        ia_buf_printf(out, " · %lld out", (long long)s->tokens_out);
        if (s->cost_known) {
            ia_buf_puts(out, " · ");
            ia_fmt_usd(out, s->cost_usd);
        }
    }
    if (s->done && s->ok && !s->changed && s->outcome[0] != '\0') {
        ia_buf_puts(out, " · nothing changed");
    }
}

static void put_pictures(struct ia_page *p, const struct ia_rep_step *s, struct ia_buf *out)
{
    bool both = s->before.sha && s->after.sha && strcmp(s->before.sha, s->after.sha) != 0;
    if (s->before.sha) {
        ia_page_shot(p, out, &s->before, both ? "before" : "the screen", s);
    }
    if (s->after.sha && (both || !s->before.sha)) {
        ia_page_shot(p, out, &s->after, "after", NULL);
    }
}

struct steps {
    struct ia_page *p;
    const char *prefix;
};

enum { TEXTS = 6 };

static bool put_step(void *ctx, const struct ia_rep_step *s)
{
    struct steps *all = ctx;
    struct ia_page *p = all->p;
    bool bad = s->done && !s->ok;
    struct ia_buf b[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        b[i] = IA_BUF(IA_HTML_PART_MAX);
    }
    ia_buf_printf(&b[0], "%s%d", all->prefix, s->step);
    ia_buf_printf(&b[1], "%d", s->step);
    put_diff(s->changes, &b[2]);
    put_meta(s, &b[3]);
    put_pictures(p, s, &b[4]);
    put_input(s, &b[5]);
    ia_tmpl(&p->out.buf, "step.html",
            (struct ia_tmpl_var[]){IA_VAR_BUF("id", &b[0]),
                                   IA_VAR_BUF("step", &b[1]),
                                   IA_VAR("tool", s->tool),
                                   IA_VAR("element", s->element),
                                   IA_VAR_IF("done", s->done),
                                   IA_VAR_IF("bad", bad),
                                   IA_VAR("code", bad ? s->code : ""),
                                   IA_VAR("outcome", s->outcome),
                                   IA_VAR("reason", s->reason),
                                   IA_VAR("replay", s->replay),
                                   IA_VAR_IF("odd", strchr(s->replay, ':') != NULL),
                                   IA_VAR_BUF("input", &b[5]),
                                   IA_VAR("missing", s->missing),
                                   IA_VAR("verifier", s->verifier),
                                   IA_VAR_IF("agrees", s->verifier_agrees),
                                   IA_VAR("relaunched", s->relaunched),
                                   IA_VAR_BUF("diff", &b[2]),
                                   IA_VAR_BUF("meta", &b[3]),
                                   IA_VAR_BUF("pictures", &b[4]),
                                   {0}});
    for (size_t i = 0; i < TEXTS; i++) {
        ia_buf_fini(&b[i]);
    }
    ia_out_flush(&p->out);
    return true;
}

enum ia_rc ia_html_steps(struct ia_page *p, const struct ia_rep_run *run, const char *prefix,
                         struct ia_err *err)
{
    struct steps all = {p, prefix};
    return ia_rep_steps(p->site->r->store, run->row->id, put_step, &all, err);
}

/* ---- the film strip ---------------------------------------------------------------------- */

struct strip {
    struct ia_page *p;
    const char *href, *prefix;
    struct ia_buf *out;
    int count;
};

static void put_thumb(struct strip *st, const struct ia_rep_picture *pic, int step, bool bad,
                      const char *title)
{
    struct ia_buf src = IA_BUF(4096), href = IA_BUF(1 << 16), n = IA_BUF(32), w = IA_BUF(32),
                  h = IA_BUF(32);
    if (ia_page_picture(st->p, pic->sha, &src)) {
        ia_buf_printf(&href, "%s#%s%d", st->href, st->prefix, step == 0 ? 1 : step);
        ia_buf_printf(&n, "%d", step);
        ia_buf_printf(&w, "%d", pic->width > 0 ? pic->width : 393);
        ia_buf_printf(&h, "%d", pic->height > 0 ? pic->height : 852);
        ia_tmpl(st->out, "thumb.html",
                (struct ia_tmpl_var[]){IA_VAR_BUF("href", &href),
                                       IA_VAR_BUF("src", &src),
                                       IA_VAR_BUF("step", &n),
                                       IA_VAR_BUF("width", &w),
                                       IA_VAR_BUF("height", &h),
                                       IA_VAR("title", title),
                                       IA_VAR_IF("bad", bad),
                                       {0}});
        st->count++;
    }
    ia_buf_fini(&src);
    ia_buf_fini(&href);
    ia_buf_fini(&n);
    ia_buf_fini(&w);
    ia_buf_fini(&h);
}

static bool put_thumbs(void *ctx, const struct ia_rep_step *s)
{
    struct strip *st = ctx;
    if (st->count == 0 && s->before.sha) {
        put_thumb(st, &s->before, s->step - 1, false, "the first screen");
    }
    if (s->after.sha) {
        struct ia_buf title = IA_BUF(2 * (size_t)IA_REP_TEXT_MAX);
        ia_buf_printf(&title, "%d %s %s", s->step, s->tool, s->element);
        put_thumb(st, &s->after, s->step, s->done && !s->ok, ia_buf_cstr(&title));
        ia_buf_fini(&title);
    }
    return st->count < IA_HTML_STRIP_MAX;
}

enum ia_rc ia_html_strip(struct ia_page *p, const struct ia_rep_run *run, const char *href,
                         const char *prefix, struct ia_buf *out, struct ia_err *err)
{
    struct strip st = {p, href, prefix, out, 0};
    return ia_rep_steps(p->site->r->store, run->row->id, put_thumbs, &st, err);
}
