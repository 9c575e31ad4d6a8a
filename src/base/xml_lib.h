/* xml_lib.h: libxml2, loaded on first use (lazylib.h), for all readers of XML. A reader that needs another
 * function adds a row. */
#ifndef IA_BASE_XML_LIB_H
#define IA_BASE_XML_LIB_H

#include "base/lazylib.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/uri.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#define IA_XML_SYMS(X)                                                                         \
    X(xmlInitParser)                                                                           \
    X(xmlReadMemory)                                                                           \
    X(xmlDocGetRootElement)                                                                    \
    X(xmlCreatePushParserCtxt)                                                                 \
    X(xmlCtxtUseOptions)                                                                       \
    X(xmlParseChunk)                                                                           \
    X(xmlStopParser)                                                                           \
    X(xmlCtxtGetLastError)                                                                     \
    X(xmlFreeParserCtxt)                                                                       \
    X(xmlSetGenericErrorFunc)                                                                  \
    X(xmlBuildURI)                                                                             \
    X(xmlFree)                                                                                 \
    X(htmlNewParserCtxt)                                                                       \
    X(htmlCtxtReadMemory)                                                                      \
    X(htmlFreeParserCtxt)                                                                      \
    X(xmlNewDoc)                                                                               \
    X(xmlFreeDoc)                                                                              \
    X(xmlNewDocNode)                                                                           \
    X(xmlAddChild)                                                                             \
    X(xmlNewProp)                                                                              \
    X(xmlDocSetRootElement)                                                                    \
    X(xmlXPathOrderDocElems)                                                                   \
    X(xmlXPathNewContext)                                                                      \
    X(xmlXPathFreeContext)                                                                     \
    X(xmlXPathEvalExpression)                                                                  \
    X(xmlXPathFreeObject)                                                                      \
    X(xmlXPathRegisterFunc)                                                                    \
    X(xmlXPathConvertString)                                                                   \
    X(xmlXPathNewString)                                                                       \
    X(xmlXPathNewBoolean)                                                                      \
    X(xmlXPathErr)                                                                             \
    X(xmlXPathConcatFunction)                                                                  \
    X(xmlXPathContainsFunction)                                                                \
    X(xmlXPathNormalizeFunction)                                                               \
    X(xmlXPathStartsWithFunction)                                                              \
    X(xmlXPathStringLengthFunction)                                                            \
    X(xmlXPathSubstringFunction)                                                               \
    X(xmlXPathSubstringAfterFunction)                                                          \
    X(xmlXPathSubstringBeforeFunction)                                                         \
    X(xmlXPathTranslateFunction)

struct ia_xml {
    IA_XML_SYMS(IA_LAZY_FIELD)
    /* Newer headers have other names for these two. */
    __typeof__(valuePush) *push;
    __typeof__(valuePop) *pop;
};

/* The functions, or NULL and err (IA_E_MISSING) without the library. The library's version must match the
 * headers, because callers read its structures, which changed in 2.14. Any thread; never freed. */
const struct ia_xml *ia_xml(struct ia_err *err);

#endif
