/* adapt.c: the sources by name, and what holds for all of them: caps, an empty tree, a cut one.
 *
 *   adapt.c ──► axe.c, bridge.c, wda.c, wda_xml.c ──► json.c, names.c, malformed.c */
#include "driver/adapt/impl.h"

#include <stdio.h>
#include <string.h>

static const struct ia_adapter adapters[IA_SOURCE_COUNT] = {
    [IA_SOURCE_AXE] = {"axe", "AXe tree", "axe describe-ui --udid UDID", ia_adapt_axe, 0},
    [IA_SOURCE_WDA_XML] = {"wda-xml", "WebDriverAgent source",
                           "GET /source?format=xml of WebDriverAgent", ia_adapt_wda_xml, 51},
    [IA_SOURCE_WDA_JSON] = {"wda-json", "WebDriverAgent source",
                            "GET /source?format=json of WebDriverAgent", ia_adapt_wda_json, 51},
    [IA_SOURCE_BRIDGE] = {"bridge", "bridge tree", "the bridge's tree request", ia_adapt_bridge,
                          30},
};

const char *ia_source_name(enum ia_source source)
{
    return (unsigned)source < IA_SOURCE_COUNT ? adapters[source].name : "unknown";
}

enum ia_source ia_source_from_name(const char *name)
{
    for (int i = 0; name && i < IA_SOURCE_COUNT; i++) {
        if (strcmp(adapters[i].name, name) == 0) {
            return (enum ia_source)i;
        }
    }
    return IA_SOURCE_COUNT;
}

/* Just as deep as the source goes: more may lie below. */
static void mark_cut(const struct ia_adapting *a, int depth)
{
    char why[64] = "elements nested deeper than its source reports";
    depth = depth < IA_TREE_DEPTH_MAX ? depth : IA_TREE_DEPTH_MAX; /* no tree is deeper */
    int levels = depth > 0 ? depth + 1 : a->adapter->cut_levels;
    if (depth > 0) {
        (void)snprintf(why, sizeof(why), "WebDriverAgent's depth limit %d", depth);
    }
    if (levels > 0 && a->deepest == levels) {
        ia_tree_set_truncated_by(a->tree, why);
    }
}

static enum ia_rc read_tree(struct ia_adapting *a, struct ia_str bytes, int depth,
                            struct ia_err *err)
{
    const struct ia_adapter *s = a->adapter;
    if (bytes.n > IA_ADAPT_BYTES_MAX) {
        enum ia_rc rc = ia_err_set(err, IA_E_LIMIT,
                                   "a tree of %zu bytes is too large: at most %zu are accepted",
                                   bytes.n, IA_ADAPT_BYTES_MAX);
        ia_err_hint(err, "request less depth or fewer attributes");
        return rc;
    }
    enum ia_rc rc = s->read(a, bytes, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (!ia_tree_root(a->tree)) {
        rc = ia_err_set(err, IA_E_TREE_EMPTY, "the %s has no elements", s->what);
        ia_err_hint(err, "no app is in front, or it was just killed: launch the app again");
        return rc;
    }
    mark_cut(a, depth);
    return ia_tree_check(a->tree, err);
}

enum ia_rc ia_adapt(enum ia_source source, struct ia_str bytes, struct ia_tree **ret,
                    struct ia_err *err)
{
    return ia_adapt_limited(source, bytes, 0, ret, err);
}

enum ia_rc ia_adapt_limited(enum ia_source source, struct ia_str bytes, int depth,
                            struct ia_tree **ret, struct ia_err *err)
{
    if ((unsigned)source >= IA_SOURCE_COUNT) {
        return ia_err_set(err, IA_E_INTERNAL, "there is no adapter %d", (int)source);
    }
    struct ia_adapting a = {.adapter = &adapters[source], .tree = ia_tree_new()};
    enum ia_rc rc = read_tree(&a, bytes, depth, err);
    if (rc != IA_OK) {
        ia_tree_free(a.tree);
        return rc;
    }
    *ret = a.tree;
    return IA_OK;
}
