#include "driver/adapt/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct source {
    const char *name;
    const char *what;    /* in messages */
    const char *made_by; /* where a good one comes from */
    enum ia_rc (*read)(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err);
    int cut_levels; /* a tree this deep was cut by its maker, 0: it does not cut */
} sources[IA_SOURCE_COUNT] = {
    [IA_SOURCE_AXE] = {"axe", "AXe tree", "axe describe-ui --udid UDID", ia_adapt_axe, 0},
    [IA_SOURCE_WDA_XML] = {"wda-xml", "WebDriverAgent source",
                           "GET /source?format=xml of WebDriverAgent", ia_adapt_wda_xml, 51},
    [IA_SOURCE_WDA_JSON] = {"wda-json", "WebDriverAgent source",
                            "GET /source?format=json of WebDriverAgent", ia_adapt_wda_json, 51},
    [IA_SOURCE_BRIDGE] = {"bridge", "bridge tree", "the bridge's tree", ia_adapt_bridge, 30},
};

const char *ia_source_name(enum ia_source source)
{
    return (unsigned)source < IA_SOURCE_COUNT ? sources[source].name : "unknown";
}

enum ia_source ia_source_from_name(const char *name)
{
    for (int i = 0; name && i < IA_SOURCE_COUNT; i++) {
        if (strcmp(sources[i].name, name) == 0) {
            return (enum ia_source)i;
        }
    }
    return IA_SOURCE_COUNT;
}

enum ia_rc ia_adapt_malformed(const struct ia_adapting *a, struct ia_err *err, const char *fmt,
                              ...)
{
    const struct source *s = &sources[a->source];
    char why[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    enum ia_rc rc = ia_err_set(err, IA_E_TREE_MALFORMED, "this is no %s: %s", s->what, why);
    ia_err_hint(err, "give what comes from %s, whole and unchanged, or name its real source",
                s->made_by);
    return rc;
}

enum ia_rc ia_adapt_empty(const struct ia_adapting *a, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_TREE_EMPTY, "the %s holds no element", sources[a->source].what);
    ia_err_hint(err, "no app is in front, or it was just killed: launch the app again");
    return rc;
}

static enum ia_rc read_tree(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    const struct source *s = &sources[a->source];
    if (bytes.n > IA_ADAPT_BYTES_MAX) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_LIMIT, "a tree of %zu bytes is not accepted; the most are %zu",
                       bytes.n, IA_ADAPT_BYTES_MAX);
        ia_err_hint(err, "ask its maker for less depth, or leave out attributes");
        return rc;
    }
    enum ia_rc rc = s->read(a, bytes, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (!ia_tree_root(a->tree)) {
        return ia_adapt_empty(a, err);
    }
    if (s->cut_levels > 0 && a->deepest == s->cut_levels) {
        ia_tree_set_truncated_by(a->tree, "elements nested deeper than its maker looks");
    }
    return ia_tree_check(a->tree, err);
}

enum ia_rc ia_adapt(enum ia_source source, struct ia_str bytes, struct ia_tree **ret,
                    struct ia_err *err)
{
    if ((unsigned)source >= IA_SOURCE_COUNT) {
        return ia_err_set(err, IA_E_INTERNAL, "no adapter %d", (int)source);
    }
    struct ia_adapting a = {.source = source, .tree = ia_tree_new()};
    enum ia_rc rc = read_tree(&a, bytes, err);
    if (rc != IA_OK) {
        ia_tree_free(a.tree);
        return rc;
    }
    *ret = a.tree;
    return IA_OK;
}
