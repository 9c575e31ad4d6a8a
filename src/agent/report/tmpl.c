/* tmpl.c: fills a template in one pass. The only state is how deep the tag at hand is nested,
 * and at which depth the outermost part that is left out began.
 *
 * {{name}}  escaped     {{&name}}  as it is     {{#name}}…{{/name}}  only with a value
 *                                               {{^name}}…{{/name}}  only without one */
#include "agent/report/tmpl.h"

#include "agent/report/escape.h"
#include "base/embed.h"

#include <stdlib.h>
#include <string.h>

extern const struct ia_embedded ia_embedded_report[];

struct ia_str ia_tmpl_asset(const char *asset)
{
    const struct ia_embedded *e = ia_embedded_find(ia_embedded_report, asset);
    if (!e) {
        /* Assets are built into the program: one that is missing is a mistake of the build. */
        abort();
    }
    return (struct ia_str){e->data, e->size};
}

static struct ia_str value_of(const struct ia_tmpl_var *vars, struct ia_str name)
{
    for (; vars->name; vars++) {
        if (ia_str_is(name, vars->name)) {
            return vars->value;
        }
    }
    return (struct ia_str){"", 0};
}

/* Where `what` begins in s, or its end. */
static size_t find(struct ia_str s, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= s.n; i++) {
        if (memcmp(s.p + i, what, n) == 0) {
            return i;
        }
    }
    return s.n;
}

/* Cuts the next tag out of *t: the text before it and what stands between the braces. False at
 * the end. */
static bool next_tag(struct ia_str *t, struct ia_str *ret_text, struct ia_str *ret_tag)
{
    size_t open = find(*t, "{{");
    *ret_text = (struct ia_str){t->p, open};
    if (open == t->n) {
        return false;
    }
    struct ia_str rest = {t->p + open + 2, t->n - open - 2};
    size_t close = find(rest, "}}");
    *ret_tag = (struct ia_str){rest.p, close};
    size_t used = close + (close < rest.n ? 2 : 0);
    *t = (struct ia_str){rest.p + used, rest.n - used};
    return true;
}

/* Parts that are left out are only counted. */
struct filling {
    struct ia_buf *out;
    const struct ia_tmpl_var *vars;
    int depth, hidden_at; /* hidden_at: the depth of the outermost part left out; 0: none */
};

static void put_tag(struct filling *f, struct ia_str tag)
{
    char kind = tag.n > 0 ? tag.p[0] : '\0';
    bool plain = !strchr("#^/&", kind);
    struct ia_str name = plain ? tag : (struct ia_str){tag.p + 1, tag.n - 1};
    struct ia_str value = value_of(f->vars, name);
    if (kind == '#' || kind == '^') {
        /* Counted also inside a part that is left out, to find the end that belongs to it. */
        f->depth++;
        if (f->hidden_at == 0 && (value.n > 0) != (kind == '#')) {
            f->hidden_at = f->depth;
        }
    } else if (kind == '/') {
        f->hidden_at = f->hidden_at == f->depth ? 0 : f->hidden_at;
        f->depth--;
    } else if (f->hidden_at == 0 && kind == '&') {
        ia_buf_putstr(f->out, value);
    } else if (f->hidden_at == 0) {
        ia_esc_markup_text(f->out, value);
    }
}

void ia_tmpl(struct ia_buf *out, const char *asset, const struct ia_tmpl_var *vars)
{
    struct ia_str t = ia_tmpl_asset(asset), text, tag;
    struct filling f = {.out = out, .vars = vars};
    bool more = true;
    while (more) {
        more = next_tag(&t, &text, &tag);
        if (f.hidden_at == 0) {
            ia_buf_putstr(out, text);
        }
        if (more) {
            put_tag(&f, tag);
        }
    }
}
