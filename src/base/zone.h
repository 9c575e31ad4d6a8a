/* zone.h: time zones by the system's tz data.
 *
 * Zones come from glib's GTimeZone, which reads /usr/share/zoneinfo: libc knows only one zone
 * for the whole process. The library is loaded at the first call. */
#ifndef IA_BASE_ZONE_H
#define IA_BASE_ZONE_H

#include "base/civil.h"
#include "base/err.h"

struct ia_zone;

enum { IA_ZONE_NAME_MAX = 64 };

/* The zone of that IANA name ("Europe/Zurich", "UTC"). IA_E_USAGE for an unknown one, with
 * the nearest; IA_E_MISSING without the library or the data. Free with ia_zone_free. A zone may
 * be used by any number of threads. */
enum ia_rc ia_zone_open(const char *name, struct ia_zone **ret, struct ia_err *err);
void ia_zone_free(struct ia_zone *z); /* NULL is fine */

/* The name of the zone that this machine is in: TZ, else what /etc/localtime links to, else
 * "UTC". */
void ia_zone_here(char ret[IA_ZONE_NAME_MAX]);

/* What the zone's clocks show at that moment. */
struct ia_civil ia_zone_civil(const struct ia_zone *z, int64_t unix_ms);

enum ia_zone_fit {
    IA_ZONE_ONCE,
    IA_ZONE_NEVER, /* clocks skip it: first is the moment of the change, second the same */
    IA_ZONE_TWICE  /* clocks show it twice: first and second */
};
/* When the zone's clocks show that time. */
enum ia_zone_fit ia_zone_moment(const struct ia_zone *z, const struct ia_civil *c,
                                int64_t *ret_first_ms, int64_t *ret_second_ms);

#endif
