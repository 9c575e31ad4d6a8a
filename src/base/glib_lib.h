/* glib_lib.h: glib, loaded on first use (lazylib.h), for all that need it. One that needs another function
 * adds a row. */
#ifndef IA_BASE_GLIB_LIB_H
#define IA_BASE_GLIB_LIB_H

#include "base/lazylib.h"

#include <glib.h>

#define IA_GLIB_SYMS(X)                                                                        \
    X(g_error_free)                                                                            \
    X(g_free)                                                                                  \
    X(g_iconv)                                                                                 \
    X(g_iconv_close)                                                                           \
    X(g_iconv_open)                                                                            \
    X(g_match_info_fetch_pos)                                                                  \
    X(g_match_info_matches)                                                                    \
    X(g_match_info_unref)                                                                      \
    X(g_regex_match_full)                                                                      \
    X(g_regex_new)                                                                             \
    X(g_regex_unref)                                                                           \
    X(g_time_zone_find_interval)                                                               \
    X(g_time_zone_get_offset)                                                                  \
    X(g_time_zone_new_identifier)                                                              \
    X(g_time_zone_unref)                                                                       \
    X(g_unichar_combining_class)                                                               \
    X(g_utf8_casefold)                                                                         \
    X(g_utf8_normalize)                                                                        \
    X(g_utf8_strdown)                                                                          \
    X(g_utf8_strup)

struct ia_glib {
    IA_GLIB_SYMS(IA_LAZY_FIELD)
};

/* The functions, or NULL and err (IA_E_MISSING) without the library. Any thread; never freed. */
const struct ia_glib *ia_glib(struct ia_err *err);

#endif
