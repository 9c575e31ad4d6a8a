/* world.c: what stands around the phone: accessories, the owner's body, places. */
#include "driver/embedded/apps/home/home.h"
#include "driver/embedded/apps/native/native.h"

#include "json/json.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { DAY_MS = 86400000, WEEK_DAYS = 7 };

/* ---- home -------------------------------------------------------------------------------- */

static void put_accessory(const struct ia_native_call *c, const struct ia_home_accessory *a)
{
    ia_home_accessory_json(a, c->w);
    ia_jsonw_end_object(c->w);
}

enum ia_rc ia_native_home_devices(struct ia_native_call *c)
{
    struct ia_native_list list = ia_native_list_begin(c->w, "devices");
    for (int i = 0; i < IA_HOME_ACCESSORIES; i++) {
        if (ia_native_list_item(&list)) {
            put_accessory(c, &ia_home_of_const(c->p)->rows[i]);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

enum ia_rc ia_native_home_control(struct ia_native_call *c)
{
    const char *name = ia_native_text(c, "device"), *action = ia_native_text(c, "action");
    const json_t *value = json_object_get(c->args, "value");
    double number = value ? json_number_value(value) : NAN;
    struct ia_home_accessory *a = NULL;
    for (int i = 0; i < IA_HOME_ACCESSORIES; i++) {
        struct ia_home_accessory *row = &ia_home_of(c->p)->rows[i];
        a = strcasecmp(row->name, name) == 0 ? row : a;
    }
    if (!a) {
        enum ia_rc rc = ia_native_missing(c, "accessory", name);
        ia_err_hint(c->err, "home.devices shows what there is");
        return rc;
    }
    if (!ia_home_takes(a, action, number)) {
        enum ia_rc rc = ia_err_set(c->err, IA_E_USAGE, "%s does not take \"%.40s\"%s", a->name,
                                   action, value ? " with that value" : "");
        ia_err_hint(c->err,
                    "home.devices shows what each takes; \"set\" needs a value in range");
        return rc;
    }
    if (c->w) {
        ia_home_do(a, action, number);
        ia_jsonw_key(c->w, "device");
        ia_jsonw_object(c->w);
        put_accessory(c, a);
    }
    return IA_OK;
}

/* ---- health ------------------------------------------------------------------------------ */

static const struct {
    const char *type, *unit;
    int least, range;
    double per; /* the number is so many of the unit */
} measures[] = {
    {"steps", "count", 3200, 9000, 1}, {"heart_rate", "bpm", 58, 20, 1},
    {"sleep", "hours", 58, 28, 10},    {"distance", "km", 21, 70, 10},
    {"energy", "kcal", 220, 480, 1},
};

/* A day's number is fixed by the phone's seed. */
static double measured(const struct ia_phone *p, size_t type, int32_t day)
{
    int n = (int)(1000 + day % 20000 * (int32_t)IA_COUNTOF(measures) + (int32_t)type);
    return (measures[type].least + ia_phone_number(p->seed, n, measures[type].range)) /
           measures[type].per;
}

static enum ia_rc find_measure(const struct ia_native_call *c, size_t *ret)
{
    const char *type = ia_native_text(c, "type");
    for (size_t i = 0; i < IA_COUNTOF(measures); i++) {
        if (strcmp(type, measures[i].type) == 0) {
            *ret = i;
            return IA_OK;
        }
    }
    enum ia_rc rc = ia_native_missing(c, "measure", type);
    ia_err_hint(c->err, "there are steps, heart_rate, sleep, distance, energy");
    return rc;
}

/* limited: reading is not permitted, which looks like having no data. */
enum ia_rc ia_native_health_query(struct ia_native_call *c)
{
    int64_t now = c->p->now_ms, to = now, from;
    size_t type = 0;
    from = (now / DAY_MS - WEEK_DAYS + 1) * DAY_MS;
    enum ia_rc rc = find_measure(c, &type);
    rc = rc == IA_OK ? ia_native_span(c, &from, &to) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_kv(c->w, "type", measures[type].type);
    ia_jsonw_kv(c->w, "unit", measures[type].unit);
    struct ia_native_list list = ia_native_list_begin(c->w, "days");
    to = to < now ? to - 1 : now; /* nobody has measured the future */
    for (int64_t day = from / DAY_MS; !c->limited && day <= to / DAY_MS; day++) {
        char text[IA_NATIVE_TIME_SIZE];
        if (ia_native_list_item(&list)) {
            ia_native_time_text(day * DAY_MS, true, text);
            ia_jsonw_kv(c->w, "day", text);
            ia_jsonw_kv_real(c->w, "value", measured(c->p, type, (int32_t)day));
            ia_jsonw_end_object(c->w);
        }
    }
    ia_native_list_end(&list);
    if (list.n == 0) {
        ia_jsonw_kv(c->w, "note",
                    "no data, or reading is not permitted: iOS does not tell which");
    }
    return IA_OK;
}

/* ---- places ------------------------------------------------------------------------------ */

static const struct place {
    const char *name, *address;
    struct ia_location at;
} places[] = {
    {"Blue Door Restaurant", "4 Harbour Street, Cupertino", {37.3265, -122.0300}},
    {"City Hall", "1 Market Square, Cupertino", {37.3318, -122.0312}},
    {"Corner Coffee", "22 Mill Lane, Cupertino", {37.3349, -122.0090}},
    {"Dentist", "12 Mill Lane, Cupertino", {37.3346, -122.0101}},
    {"Central Station", "Station Road, San Jose", {37.3296, -121.9021}},
    {"Harbour Coffee", "80 Quay, San Francisco", {37.8080, -122.4177}},
    {"Airport", "Terminal Road, San Francisco", {37.6213, -122.3790}},
    {"Studio 4", "7 Foundry Lane, San Jose", {37.3382, -121.8863}},
};
/* Where the phone is unless it was told otherwise. */
static const struct ia_location somewhere = {37.3349, -122.0090};

static struct ia_location here(const struct ia_phone *p)
{
    return p->system.placed ? p->system.location : somewhere;
}

enum ia_rc ia_native_location_here(struct ia_native_call *c)
{
    struct ia_location at = here(c->p);
    ia_jsonw_kv_real(c->w, "latitude", at.latitude);
    ia_jsonw_kv_real(c->w, "longitude", at.longitude);
    return IA_OK;
}

/* By the haversine formula on a sphere of 6,371 km. */
static double metres_between(struct ia_location a, struct ia_location b)
{
    const double rad = 3.14159265358979 / 180;
    double north = sin((b.latitude - a.latitude) * rad / 2);
    double east = sin((b.longitude - a.longitude) * rad / 2);
    double h = north * north + cos(a.latitude * rad) * cos(b.latitude * rad) * east * east;
    return 2 * 6371000 * asin(sqrt(fmin(h, 1)));
}

static void put_place(struct ia_native_list *list, const struct place *place, double metres)
{
    if (ia_native_list_item(list)) {
        ia_jsonw_kv(list->w, "name", place->name);
        ia_jsonw_kv(list->w, "address", place->address);
        ia_jsonw_kv_real(list->w, "latitude", place->at.latitude);
        ia_jsonw_kv_real(list->w, "longitude", place->at.longitude);
        if (metres >= 0) {
            ia_jsonw_kv_int(list->w, "metres", llround(metres));
        }
        ia_jsonw_end_object(list->w);
    }
}

enum ia_rc ia_native_location_geocode(struct ia_native_call *c)
{
    struct ia_native_list list = ia_native_list_begin(c->w, "places");
    for (size_t i = 0; i < IA_COUNTOF(places); i++) {
        if (ia_kit_matches(places[i].address, ia_native_text(c, "query"))) {
            put_place(&list, &places[i], -1);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

/* The arguments' coordinates; where they are missing, those that are set already. */
static enum ia_rc coordinates(const struct ia_native_call *c, struct ia_location *at)
{
    const json_t *latitude = json_object_get(c->args, "latitude");
    const json_t *longitude = json_object_get(c->args, "longitude");
    if (!latitude != !longitude) {
        return ia_err_set(c->err, IA_E_USAGE, "latitude and longitude go together");
    }
    if (latitude) {
        *at = (struct ia_location){json_number_value(latitude), json_number_value(longitude)};
    }
    return ia_location_check(at, c->err);
}

/* The places within so many metres that the query names, the nearest first. */
static void put_near(const struct ia_native_call *c, struct ia_location at, double within,
                     bool distances)
{
    struct ia_native_list list = ia_native_list_begin(c->w, "places");
    bool done[IA_COUNTOF(places)] = {false};
    const char *query = ia_native_text(c, "query");
    for (size_t n = 0; n < IA_COUNTOF(places); n++) {
        size_t best = IA_COUNTOF(places);
        double metres = within;
        for (size_t i = 0; i < IA_COUNTOF(places); i++) {
            double far = metres_between(at, places[i].at);
            if (!done[i] && far <= metres && ia_kit_matches(places[i].name, query)) {
                best = i;
                metres = far;
            }
        }
        if (best < IA_COUNTOF(places)) {
            done[best] = true;
            put_place(&list, &places[best], distances ? metres : -1);
        }
    }
    ia_native_list_end(&list);
}

enum ia_rc ia_native_location_reverse(struct ia_native_call *c)
{
    struct ia_location at = somewhere;
    enum ia_rc rc = coordinates(c, &at);
    if (rc == IA_OK) {
        put_near(c, at, 500, false);
    }
    return rc;
}

/* Without coordinates around the middle of the map: where the phone is needs a permission of its own. */
enum ia_rc ia_native_location_search(struct ia_native_call *c)
{
    struct ia_location at = somewhere;
    enum ia_rc rc = coordinates(c, &at);
    if (rc == IA_OK) {
        put_near(c, at, INFINITY, true);
    }
    return rc;
}
