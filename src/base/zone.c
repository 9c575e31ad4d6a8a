/* zone.c: time zones: names, the zone of this machine, and the two conversions.
 *
 * UTC to local is one lookup of an offset. Local to UTC has no, one or two answers, because clocks
 * are set forward and back:
 *
 *     offset before +1, after +2 (spring)            offset before +2, after +1 (autumn)
 *     local  01:59 │ 02:00 .. 02:59 │ 03:00          local  01:59 │ 02:00 .. 02:59 │ 03:00
 *            once  │     never      │ once                  once  │     twice      │ once
 *
 * The local time is tried with the offset of a day before and of a day after; an offset fits when
 * the time that it gives really has it. Both fit: twice (or once, when they are equal). None fits:
 * the clocks skip it. */
#include "base/zone.h"

#include "base/fd.h"
#include "base/glib_lib.h"
#include "base/paths.h"
#include "base/suggest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY_MS = 86400000, LINK_MAX = 1024 };

struct ia_zone {
    char name[IA_ZONE_NAME_MAX];
    const struct ia_glib *glib;
    GTimeZone *tz;
};

/* A name of the database, and never a path, an offset or a rule. */
static bool is_name(const char *name)
{
    static const char inside[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    size_t n = strlen(name);
    bool letter = (name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z');
    return letter && n < IA_ZONE_NAME_MAX && strspn(name, inside) == n;
}

/* ---- the name that was meant ------------------------------------------------------------- */

enum { TAB_MAX = 1 << 18, TAB_NAMES_MAX = 1024 };

/* The names of zone.tab (country, place, name, remark; a line each), which is changed. */
static size_t tab_names(char *text, const char *ret[TAB_NAMES_MAX])
{
    size_t count = 0;
    for (char *line = text; *line && count < TAB_NAMES_MAX;) {
        char *end = line + strcspn(line, "\n");
        char *name = *line == '#' ? NULL : memchr(line, '\t', (size_t)(end - line));
        name = name ? memchr(name + 1, '\t', (size_t)(end - name - 1)) : NULL;
        line = end + (*end == '\n');
        *end = '\0';
        if (name) {
            name[1 + strcspn(name + 1, "\t")] = '\0';
            ret[count++] = name + 1;
        }
    }
    return count;
}

/* The nearest name; of a place without its region ("Zurich") the nearest place's. */
static const char *nearest(const char *name, const char *const *all, size_t count)
{
    const char *places[TAB_NAMES_MAX];
    const char *best = ia_nearest(ia_str(name), all, count);
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(all[i], '/');
        places[i] = slash ? slash + 1 : all[i];
    }
    const char *place = best ? NULL : ia_nearest(ia_str(name), places, count);
    for (size_t i = 0; place && i < count; i++) {
        if (places[i] == place) {
            best = all[i];
        }
    }
    return best;
}

static enum ia_rc unknown(const char *name, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "there is no time zone \"%.60s\"", name);
    const char *folder = ia_env_get(NULL, "TZDIR");
    char *path = ia_path_join(folder ? folder : "/usr/share/zoneinfo", "zone.tab");
    struct ia_buf text = IA_BUF(TAB_MAX);
    const char *all[TAB_NAMES_MAX];
    const char *best = NULL;
    if (ia_file_read(path, &text, NULL) == IA_OK && text.len > 0) {
        best = nearest(name, all, tab_names(text.p, all));
    }
    if (best) {
        ia_err_hint(err, "did you mean %s?", best);
    } else {
        ia_err_hint(err, "names are like Europe/Zurich, America/New_York or UTC, as in "
                         "/usr/share/zoneinfo");
    }
    ia_buf_fini(&text);
    free(path);
    return rc;
}

/* glib would also take a rule ("UTC+3", which is three hours behind UTC) for a name, and
 * complain on stderr of a file that is no zone. Where there is no database at all it decides
 * alone. */
static bool is_no_zone_file(const char *name)
{
    static const char magic[] = "TZif";
    const char *dir = ia_env_get(NULL, "TZDIR");
    struct stat st;
    dir = dir ? dir : "/usr/share/zoneinfo";
    if (strcmp(name, "UTC") == 0 || stat(dir, &st) != 0) {
        return false;
    }
    char *path = ia_path_join(dir, name);
    char head[sizeof(magic) - 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool zone = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
                memcmp(head, magic, sizeof(head)) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    free(path);
    return !zone;
}

enum ia_rc ia_zone_open(const char *name, struct ia_zone **ret, struct ia_err *err)
{
    const struct ia_glib *glib = ia_glib(err);
    if (!glib) {
        return IA_E_MISSING;
    }
    bool plausible = is_name(name) && !is_no_zone_file(name);
    GTimeZone *tz = plausible ? glib->g_time_zone_new_identifier_(name) : NULL;
    if (!tz) {
        return unknown(name, err);
    }
    struct ia_zone *z = ia_calloc(1, sizeof(*z));
    (void)snprintf(z->name, sizeof(z->name), "%s", name);
    z->glib = glib;
    z->tz = tz;
    *ret = z;
    return IA_OK;
}

void ia_zone_free(struct ia_zone *z)
{
    if (z) {
        z->glib->g_time_zone_unref_(z->tz);
        free(z);
    }
}

/* The part of a link's target behind "zoneinfo/", as macOS and Linux make it. */
static const char *localtime_link(char target[LINK_MAX])
{
    ssize_t n = readlink("/etc/localtime", target, LINK_MAX - 1);
    if (n <= 0) {
        return NULL;
    }
    target[n] = '\0';
    const char *at = strstr(target, "zoneinfo/");
    return at ? at + strlen("zoneinfo/") : NULL;
}

void ia_zone_here(char ret[IA_ZONE_NAME_MAX])
{
    char target[LINK_MAX];
    const char *name = getenv("TZ");
    if (name && name[0] == ':') {
        name++;
    }
    if (!name || !is_name(name)) {
        name = localtime_link(target);
    }
    (void)snprintf(ret, IA_ZONE_NAME_MAX, "%s", name && is_name(name) ? name : "UTC");
}

/* ---- conversions ------------------------------------------------------------------------- */

/* Milliseconds that the zone is ahead of UTC at that moment. */
static int64_t offset_ms(const struct ia_zone *z, int64_t unix_ms)
{
    /* Rounded down, also before 1970. */
    int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0);
    int at = z->glib->g_time_zone_find_interval_(z->tz, G_TIME_TYPE_UNIVERSAL, seconds);
    return at < 0 ? 0 : z->glib->g_time_zone_get_offset_(z->tz, at) * INT64_C(1000);
}

struct ia_civil ia_zone_civil(const struct ia_zone *z, int64_t unix_ms)
{
    return ia_civil_at(unix_ms + offset_ms(z, unix_ms));
}

/* The first moment in (lo, hi] at which the offset is not what it is at lo. */
static int64_t change_between(const struct ia_zone *z, int64_t lo, int64_t hi)
{
    int64_t before = offset_ms(z, lo);
    while (hi - lo > 1000) {
        int64_t mid = lo + (hi - lo) / 2000 * 1000;
        /* The half of less than two seconds rounds to nothing. */
        mid = mid > lo ? mid : lo + 1000;
        if (offset_ms(z, mid) == before) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return hi;
}

/* Offsets a day before and a day after decide: zones change at most once in two days. */
enum ia_zone_fit ia_zone_moment(const struct ia_zone *z, const struct ia_civil *c,
                                int64_t *ret_first_ms, int64_t *ret_second_ms)
{
    int64_t local = ia_civil_ms(c);
    int64_t before = offset_ms(z, local - DAY_MS), after = offset_ms(z, local + DAY_MS);
    int64_t a = local - before, b = local - after;
    bool a_fits = offset_ms(z, a) == before, b_fits = offset_ms(z, b) == after;
    if (a_fits && b_fits) {
        *ret_first_ms = a < b ? a : b;
        *ret_second_ms = a < b ? b : a;
        return a == b ? IA_ZONE_ONCE : IA_ZONE_TWICE;
    }
    if (a_fits || b_fits) {
        *ret_first_ms = *ret_second_ms = a_fits ? a : b;
        return IA_ZONE_ONCE;
    }
    *ret_first_ms = *ret_second_ms = change_between(z, local - DAY_MS, local + DAY_MS);
    return IA_ZONE_NEVER;
}
