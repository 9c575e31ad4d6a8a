/* compile.c: compiled with one of these names defined; only IA_LISTED may succeed. */
#include "events/events.h"

struct ia_event_ref ia_compile(void);

struct ia_event_ref ia_compile(void)
{
#if defined(IA_UNLISTED_EVENT)
    static const struct ia_event_device e = {.has = true}; /* a part is no event */
#elif defined(IA_UNLISTED_FIELD)
    static const struct ia_event_notice e = {.words = {NULL, 0}};
#elif defined(IA_WRONG_TYPE)
    static const struct ia_event_notice e = {.text = 1.5};
#else
    static const struct ia_event_notice e = {.text = {NULL, 0}};
#endif
    return IA_EVENT(&e);
}
