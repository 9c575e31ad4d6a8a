/* home.c: accessories, and what they do. A touch switches one. */
#include "driver/embedded/apps/home/home.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ia_home factory = {{
    {"Ceiling Light", "Living Room", IA_HOME_LIGHT, true, 80},
    {"Reading Lamp", "Living Room", IA_HOME_LIGHT, false, 40},
    {"Bedroom Light", "Bedroom", IA_HOME_LIGHT, false, 100},
    {"Coffee Maker", "Kitchen", IA_HOME_OUTLET, false, 0},
    {"Front Door", "Hall", IA_HOME_LOCK, true, 0},
    {"Thermostat", "Hall", IA_HOME_THERMOSTAT, true, 210},
}};

/* What each kind takes; the number that `set` wants, in the unit of the action. */
static const struct {
    const char *name, *actions[4];
    double min, max;
} kinds[] = {
    [IA_HOME_LIGHT] = {"light", {"on", "off", "set"}, 0, 100},
    [IA_HOME_OUTLET] = {"outlet", {"on", "off"}, 0, 0},
    [IA_HOME_LOCK] = {"lock", {"lock", "unlock"}, 0, 0},
    [IA_HOME_THERMOSTAT] = {"thermostat", {"on", "off", "set"}, 5, 30},
};

const char *ia_home_kind(enum ia_accessory_kind kind)
{
    return kinds[kind].name;
}

bool ia_home_takes(const struct ia_home_accessory *a, const char *action, double value)
{
    bool set = strcmp(action, "set") == 0;
    bool in_range = value >= kinds[a->kind].min && value <= kinds[a->kind].max;
    for (size_t i = 0; i < 4 && kinds[a->kind].actions[i]; i++) {
        if (strcmp(kinds[a->kind].actions[i], action) == 0) {
            return !set || in_range;
        }
    }
    return false;
}

void ia_home_do(struct ia_home_accessory *a, const char *action, double value)
{
    if (strcmp(action, "set") == 0) {
        bool light = a->kind == IA_HOME_LIGHT;
        a->value = (int)lrint(light ? value : value * 10);
        a->on = !light || a->value > 0;
        return;
    }
    a->on = strcmp(action, "on") == 0 || strcmp(action, "lock") == 0;
}

const char *ia_home_text(struct ia_scene *s, const struct ia_home_accessory *a)
{
    switch ((enum ia_accessory_kind)a->kind) {
    case IA_HOME_LIGHT:
        return a->on ? ia_scene_printf(s, "On, %d %%", a->value) : "Off";
    case IA_HOME_LOCK:
        return a->on ? "Locked" : "Unlocked";
    case IA_HOME_THERMOSTAT:
        return a->on ? ia_scene_printf(s, "%d.%d degrees", a->value / 10, a->value % 10)
                     : "Off";
    case IA_HOME_OUTLET:
        break;
    }
    return a->on ? "On" : "Off";
}

void ia_home_accessory_json(const struct ia_home_accessory *a, struct ia_jsonw *w)
{
    ia_jsonw_kv(w, "device", a->name);
    ia_jsonw_kv(w, "room", a->room);
    ia_jsonw_kv(w, "kind", kinds[a->kind].name);
    ia_jsonw_kv_bool(w, a->kind == IA_HOME_LOCK ? "locked" : "on", a->on);
    if (kinds[a->kind].max > 0) {
        ia_jsonw_kv_real(w, "value", a->kind == IA_HOME_LIGHT ? a->value : a->value / 10.0);
    }
    ia_jsonw_key(w, "actions");
    ia_jsonw_array(w);
    for (size_t i = 0; i < 4 && kinds[a->kind].actions[i]; i++) {
        ia_jsonw_string(w, kinds[a->kind].actions[i]);
    }
    ia_jsonw_end_array(w);
}

struct ia_home *ia_home_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_home)->data;
}

const struct ia_home *ia_home_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_home)->data;
}

/* ---- the app ----------------------------------------------------------------------------- */

static void flip(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_home_accessory *a = &ia_home_of(p)->rows[t->arg];
    a->on = !a->on;
}

static void build(struct ia_kit *k)
{
    const struct ia_home *h = ia_home_of_const(k->phone);
    const char *room = "";
    ia_kit_begin(k, &(struct ia_kit_nav){.large = true}, IA_LIST_GROUPED);
    for (int i = 0; i < IA_HOME_ACCESSORIES; i++) {
        const struct ia_home_accessory *a = &h->rows[i];
        if (strcmp(room, a->room) != 0) {
            ia_kit_section(k, a->room);
            room = a->room;
        }
        ia_kit_row(k, &(struct ia_kit_row){.label = a->name,
                                           .detail = ia_home_text(k->scene, a),
                                           .tap = flip,
                                           .arg = i});
    }
    ia_kit_end(k);
}

static void *create(uint64_t seed)
{
    struct ia_home *h = ia_calloc(1, sizeof(*h));
    (void)seed;
    *h = factory;
    return h;
}

static void state_json(const void *data, struct ia_jsonw *w)
{
    const struct ia_home *h = data;
    ia_jsonw_key(w, "home");
    ia_jsonw_array(w);
    for (int i = 0; i < IA_HOME_ACCESSORIES; i++) {
        ia_jsonw_object(w);
        ia_home_accessory_json(&h->rows[i], w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static const struct ia_screen screen = {"Home", build, NULL, NULL};
static const struct ia_field fields[] = {
    {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
};

const struct ia_app ia_app_home = {
    .bundle_id = "com.apple.Home",
    .name = "Home",
    .icon = IA_ICON_CATALOG,
    .off_home = true,
    .root = &screen,
    .fields = fields,
    .create = create,
    .destroy = free,
    .state_json = state_json,
};
