/* draw.c: reads the notation of draw.h, one node a line, nested by its spaces. */
#include "draw.h"

#include "test.h"

static const struct {
    const char *word;
    int set, clear;
} words[] = {
    {"disabled", 0, IA_NODE_ENABLED},    {"selected", IA_NODE_SELECTED, 0},
    {"focused", IA_NODE_FOCUSED, 0},     {"header", IA_NODE_HEADER, 0},
    {"invisible", IA_NODE_INVISIBLE, 0}, {"adjustable", IA_NODE_ADJUSTABLE, 0},
};

static const char *quoted(struct ia_tree *t, const char **p)
{
    char text[4096];
    size_t n = 0;
    for (++*p; **p && **p != '\'' && n < sizeof(text); ++*p) {
        bool newline = **p == '\\' && (*p)[1] == 'n';
        *p += newline;
        text[n++] = newline ? '\n' : **p;
    }
    ++*p;
    return ia_tree_text(t, text, n);
}

static void word(struct ia_tree *t, struct ia_node *n, const char *w, size_t len)
{
    if (*w == '#') {
        n->identifier = ia_tree_text(t, w + 1, len - 1);
        return;
    }
    if (sscanf(w, "%lf,%lf,%lf,%lf", &n->frame.x, &n->frame.y, &n->frame.w, &n->frame.h) == 4) {
        return;
    }
    for (size_t i = 0; i < IA_COUNTOF(words); i++) {
        if (strlen(words[i].word) == len && memcmp(words[i].word, w, len) == 0) {
            n->flags |= (uint16_t)words[i].set;
            n->flags &= (uint16_t)~words[i].clear;
            return;
        }
    }
    fail_msg("draw: what is \"%.*s\"?", (int)len, w);
}

static void parts(struct ia_tree *t, struct ia_node *n, const char *p)
{
    while (*p && *p != '\n') {
        if (*p == ' ') {
            p++;
        } else if (*p == '\'') {
            n->label = quoted(t, &p);
        } else if (*p == '=') {
            p++;
            n->value = quoted(t, &p);
        } else if (*p == '?') {
            p++;
            n->placeholder = quoted(t, &p);
        } else {
            size_t len = strcspn(p, " \n");
            word(t, n, p, len);
            p += len;
        }
    }
}

struct ia_tree *draw_tree(const char *text)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_node *last[64] = {NULL};
    ia_tree_set_app(t, "com.test");
    while (*text) {
        size_t depth = strspn(text, " ");
        size_t len = strcspn(text + depth, " \n");
        enum ia_eltype type = ia_eltype_from_name((struct ia_str){text + depth, len});
        if (type == IA_EL_COUNT) {
            fail_msg("draw: no type \"%.*s\"", (int)len, text + depth);
        }
        struct ia_node *n =
            ia_tree_add(t, depth ? last[depth - 1] : NULL, type, (struct ia_rect){0, 0, 0, 0});
        assert_non_null(n);
        last[depth] = n;
        parts(t, n, text + depth + len);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return t;
}

struct ia_snapshot *draw(const char *text, struct ia_refs *refs)
{
    struct ia_tree *t = draw_tree(text);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    ia_tree_free(t);
    return s;
}

static char shown[65536];

static char *text_of(const struct ia_snapshot *s)
{
    struct ia_buf b = IA_BUF(sizeof(shown) - 1);
    ia_snapshot_text(s, 0, &b);
    snprintf(shown, sizeof(shown), "%s", ia_buf_cstr(&b));
    ia_buf_fini(&b);
    return shown;
}

const char *lines_of(const struct ia_snapshot *s)
{
    return strchr(text_of(s), '\n') + 1;
}

const char *header_of(const struct ia_snapshot *s)
{
    char *text = text_of(s);
    *strchr(text, '\n') = '\0';
    return text;
}

bool lines_are(const char *tree, const char *want)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(tree, refs);
    bool same = strcmp(lines_of(s), want) == 0;
    if (!same) {
        print_error("%s--- reads\n%s--- instead of\n%s\n", tree, lines_of(s), want);
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
    return same;
}
