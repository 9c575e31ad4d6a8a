/* xml_lib.c: libxml2, loaded once. */
#include "base/xml_lib.h"

#include <pthread.h>

static struct ia_xml lib;
static struct ia_err lib_err;
static enum ia_rc lib_rc;

/* The version that the headers describe. */
#if LIBXML_VERSION >= 21400
static const char *const lib_names[] = {"libxml2.so.16", "libxml2.16.dylib", NULL};
#else
static const char *const lib_names[] = {"libxml2.so.2", "libxml2.2.dylib", NULL};
#endif

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct ia_xml, fn),
#define NAME_OF(fn) #fn
#define OTHER(fn, field)                                                                       \
    {                                                                                          \
        NAME_OF(fn), offsetof(struct ia_xml, field)                                            \
    }
    static const struct ia_lazy_sym syms[] = {IA_XML_SYMS(ROW) OTHER(valuePush, push),
                                              OTHER(valuePop, pop)};
#undef ROW
#undef NAME_OF
#undef OTHER
    lib_rc = ia_lazy_load(lib_names, syms, IA_COUNTOF(syms), &lib, &lib_err);
    if (lib_rc == IA_OK) {
        lib.xmlInitParser_();
    }
}

const struct ia_xml *ia_xml(struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (lib_rc != IA_OK && err) {
        *err = lib_err;
    }
    return lib_rc == IA_OK ? &lib : NULL;
}
