/* xpath_impl.h: what the files of XPath share: the watched functions, and one evaluation. */
#ifndef IA_SERVER_WDA_SELECT_XPATH_IMPL_H
#define IA_SERVER_WDA_SELECT_XPATH_IMPL_H

#include "base/xml_lib.h"
#include "server/wda/select/effort.h"
#include "server/wda/select/pattern.h"

/* XPath's own functions that make or read texts: each call of them is watched. libxml2's own cannot be
 * replaced from 2.14 on, so they are called by other names in what it is given. X(name, libxml2's) */
#define IA_WDA_XPATH_WATCHED "watched-"
#define IA_WDA_XPATH_TEXT_FUNCTIONS(X)                                                         \
    X("concat", Concat)                                                                        \
    X("contains", Contains)                                                                    \
    X("normalize-space", Normalize)                                                            \
    X("starts-with", StartsWith)                                                               \
    X("string-length", StringLength)                                                           \
    X("substring", Substring)                                                                  \
    X("substring-after", SubstringAfter)                                                       \
    X("substring-before", SubstringBefore)                                                     \
    X("translate", Translate)

/* One evaluation; the context's userData. */
struct ia_wda_xpath_run {
    const struct ia_xml *xml;
    struct ia_wda_effort *effort;
    enum ia_rc rc;                  /* of the first failure */
    char why[200];                  /* of the first failure; may be empty */
    struct ia_wda_pattern *pattern; /* the newest, and what it was made from */
    char *pattern_text;
    unsigned pattern_flags;
};

/* Makes the functions known to a context whose userData is the run. */
void ia_wda_xpath_functions(xmlXPathContextPtr ctxt);
void ia_wda_xpath_run_fini(struct ia_wda_xpath_run *run);

#endif
