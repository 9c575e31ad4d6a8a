/* settings.c: the app Settings: builds pages from the tables of pages.c, and applies touches.
 *
 *     row tapped ─► page, choice, switch, level or alert of its setting ─► prefs ─► next scene
 *
 * A search lists settings of all pages; each result leads to its own page, or to the one it is on. */
#include "driver/embedded/apps/settings/settings.h"

#include "base/rand.h"

#include <stdio.h>
#include <string.h>

enum { MEMO_TOGGLED }; /* set of enum ia_switch */
_Static_assert(IA_SWITCH_COUNT <= 32, "a memo holds one bit for each switch");

static const struct ia_screen screen_page, screen_choice, screen_name;

static void no_account(struct ia_phone *p, const struct ia_touch *t);

static void reset_settings(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_prefs_reset(&p->prefs);
}

static void location_off(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_prefs_toggle(&p->prefs, IA_PREF_LOCATION);
}

static const struct ia_alert alert_location = {
    .title = "Turn Off Location Services?",
    .message = "Location Services will be disabled for all apps.",
    .buttons = {{"Cancel", IA_ALERT_CANCEL, NULL},
                {"Turn Off", IA_ALERT_DESTRUCTIVE, location_off}},
};

static const struct ia_alert alerts[] = {
    [IA_SETTINGS_ALERT_ACCOUNT] = {.title = "Sign In Unavailable",
                                   .message = "This simulated iPhone has no account server.",
                                   .buttons = {{"OK", IA_ALERT_DEFAULT, no_account}}},
    [IA_SETTINGS_ALERT_RESET] = {.action_sheet = true,
                                 .title =
                                     "This will reset all settings. No data will be deleted.",
                                 .buttons = {{"Reset All Settings", IA_ALERT_DESTRUCTIVE,
                                              reset_settings},
                                             {"Cancel", IA_ALERT_CANCEL, NULL}}},
};

static void no_account(struct ia_phone *p, const struct ia_touch *t)
{
    (void)p;
    (void)t;
}

static void open_page(struct ia_phone *p, const struct ia_touch *t)
{
    if (t->arg == IA_PAGE_NAME) {
        ia_nav_push(p, &screen_name, t->arg);
        ia_edit_set(p, IA_SETTINGS_FIELD_NAME, p->prefs.name);
        ia_edit_focus(p, IA_SETTINGS_FIELD_NAME);
    } else {
        ia_nav_push(p, &screen_page, t->arg);
    }
}

static void open_choice(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_choice, t->arg);
}

static void show_alert(struct ia_phone *p, const struct ia_touch *t)
{
    ia_alert_show(p, &alerts[t->arg], 0);
}

static void toggle(struct ia_phone *p, const struct ia_touch *t)
{
    if (t->arg == IA_PREF_LOCATION && ia_prefs_on(&p->prefs, IA_PREF_LOCATION)) {
        ia_alert_show(p, &alert_location, 0);
    } else {
        ia_prefs_toggle(&p->prefs, (enum ia_switch)t->arg);
        ia_phone_front(p)->memo[MEMO_TOGGLED] ^= (int32_t)(UINT32_C(1) << t->arg);
    }
}

/* Forgets what was switched on the page, or, with the planted bug, takes it back. */
static void left(struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)e;
    int32_t *toggled = &ia_phone_front(p)->memo[MEMO_TOGGLED];
    if (ia_phone_bug(p, IA_BUG_SETTINGS_SWITCH)) {
        p->prefs.on ^= (uint32_t)*toggled;
    }
    *toggled = 0;
}

static void set_level(struct ia_phone *p, const struct ia_touch *t)
{
    p->prefs.level[t->arg] = (uint8_t)(t->fx * 100.0F + 0.5F);
}

enum { OPTIONS_PER_CHOICE = 16 }; /* arg of an option: choice * 16 + option */

static void choose(struct ia_phone *p, const struct ia_touch *t)
{
    p->prefs.choice[t->arg / OPTIONS_PER_CHOICE] = (uint8_t)(t->arg % OPTIONS_PER_CHOICE);
}

/* Eight of these characters, picked by the seed. */
static const char *serial(const struct ia_kit *k)
{
    static const char alphabet[] = "CDFGHJKLMNPQRTVWXY0123456789";
    uint64_t state = k->phone->seed ^ UINT64_C(0x5e71a1);
    struct ia_rand r = ia_rand_seeded(&state);
    char text[11] = "F2";
    for (int i = 2; i < 10; i++) {
        text[i] = alphabet[ia_rand_next(&r) % (sizeof(alphabet) - 1)];
    }
    return ia_scene_printf(k->scene, "%.10s", text);
}

static const char *wifi_address(const struct ia_kit *k)
{
    uint64_t state = k->phone->seed ^ UINT64_C(0x31f1);
    struct ia_rand r = ia_rand_seeded(&state);
    uint64_t v = ia_rand_next(&r);
    return ia_scene_printf(k->scene, "F0:18:98:%02X:%02X:%02X", (unsigned)(v & 0xFF),
                           (unsigned)(v >> 8 & 0xFF), (unsigned)(v >> 16 & 0xFF));
}

static const char *chosen(const struct ia_kit *k, enum ia_choice c)
{
    struct ia_str s = ia_prefs_choice(&k->phone->prefs, c);
    return ia_scene_text(k->scene, s.p, s.n);
}

static const char *info_text(const struct ia_kit *k, enum ia_info info)
{
    const struct ia_prefs *prefs = &k->phone->prefs;
    switch (info) {
    case IA_INFO_OS:
        return "18.5";
    case IA_INFO_MODEL:
        return "iPhone (simulated)";
    case IA_INFO_MODEL_NUMBER:
        return "SIM15LL/A";
    case IA_INFO_SERIAL:
        return serial(k);
    case IA_INFO_CAPACITY:
        return "128 GB";
    case IA_INFO_AVAILABLE:
        return "96.3 GB";
    case IA_INFO_WIFI_ADDRESS:
        return wifi_address(k);
    case IA_INFO_NAME:
        return prefs->name;
    case IA_INFO_BATTERY:
        return ia_scene_printf(k->scene, "%d%%", ia_phone_battery(k->phone));
    case IA_INFO_ZONE:
        return "UTC";
    case IA_INFO_WIFI:
        return ia_prefs_on(prefs, IA_PREF_WIFI) ? chosen(k, IA_CHOICE_NETWORK) : "Off";
    case IA_INFO_BLUETOOTH:
        return ia_prefs_on(prefs, IA_PREF_BLUETOOTH) ? "On" : "Off";
    case IA_INFO_NOT_CONNECTED:
        return "Not Connected";
    case IA_INFO_NONE:
        break;
    }
    return NULL;
}

static void add_options(struct ia_kit *k, enum ia_choice c)
{
    int now = k->phone->prefs.choice[c];
    for (int i = 0; ia_choice_option(c, i).n; i++) {
        struct ia_str text = ia_choice_option(c, i);
        const char *label = ia_scene_text(k->scene, text.p, text.n);
        ia_kit_row(k, &(struct ia_kit_row){.label = label,
                                           .ident = label,
                                           .accessory = IA_ROW_CHECK,
                                           .on = i == now,
                                           .tap = choose,
                                           .arg = (int32_t)c * OPTIONS_PER_CHOICE + i});
    }
}

static void add_level(struct ia_kit *k, enum ia_level l)
{
    ia_kit_slider(k, ia_level_label(l), ia_level_key(l), k->phone->prefs.level[l], set_level,
                  (int32_t)l);
}

/* Each kind of setting as a row. */
static struct ia_kit_row as_row(const struct ia_kit *k, const struct ia_setting *s)
{
    struct ia_kit_row row = {.label = s->label,
                             .ident = s->ident,
                             .symbol = s->symbol,
                             .tile = s->tile,
                             .subtitle = s->subtitle,
                             .arg = s->target,
                             .detail = info_text(k, (enum ia_info)s->info)};
    switch ((enum ia_setting_kind)s->kind) {
    case IA_SET_PAGE:
        row.accessory = IA_ROW_CHEVRON;
        row.tap = open_page;
        break;
    case IA_SET_SWITCH:
        row.accessory = IA_ROW_SWITCH;
        row.ident = ia_switch_key((enum ia_switch)s->target);
        row.on = ia_prefs_on(&k->phone->prefs, (enum ia_switch)s->target);
        row.tap = toggle;
        break;
    case IA_SET_CHOICE:
        row.accessory = IA_ROW_CHEVRON;
        row.ident = ia_choice_key((enum ia_choice)s->target);
        row.detail = chosen(k, (enum ia_choice)s->target);
        row.tap = open_choice;
        break;
    case IA_SET_ALERT:
        row.color = s->subtitle ? IA_COLOR_LABEL : IA_COLOR_BLUE;
        row.button = !s->subtitle;
        row.tap = show_alert;
        break;
    case IA_SET_INFO:
    case IA_SET_OPTIONS:
    case IA_SET_LEVEL:
        break;
    }
    return row;
}

static void add_setting(struct ia_kit *k, const struct ia_setting *s)
{
    if (s->kind == IA_SET_OPTIONS) {
        add_options(k, (enum ia_choice)s->target);
    } else if (s->kind == IA_SET_LEVEL) {
        add_level(k, (enum ia_level)s->target);
    } else {
        struct ia_kit_row row = as_row(k, s);
        ia_kit_row(k, &row);
    }
}

static void add_page(struct ia_kit *k, const struct ia_setting_page *page)
{
    for (int i = 0; i < page->count; i++) {
        const struct ia_setting_section *section = &page->sections[i];
        if (section->needs &&
            !ia_prefs_on(&k->phone->prefs, (enum ia_switch)(section->needs - 1))) {
            continue;
        }
        ia_kit_section(k, section->header);
        for (int r = 0; r < section->count; r++) {
            add_setting(k, &section->rows[r]);
        }
        if (section->footer) {
            ia_kit_footer(k, section->footer);
        }
    }
}

/* One result: it leads to its own page, or to the page that it stands on. */
static void add_result(struct ia_kit *k, const struct ia_setting *s, int on_page)
{
    bool leads = s->kind == IA_SET_PAGE || s->kind == IA_SET_CHOICE;
    struct ia_kit_row row = as_row(k, s);
    row = (struct ia_kit_row){.label = s->label,
                              .ident = row.ident,
                              .symbol = row.symbol,
                              .tile = row.tile,
                              .accessory = IA_ROW_CHEVRON,
                              .tap = leads ? row.tap : open_page,
                              .arg = leads ? row.arg : on_page};
    row.subtitle = on_page == IA_PAGE_ROOT ? "Settings" : ia_setting_pages[on_page].title;
    ia_kit_row(k, &row);
}

/* A switch or an alert of the first page has no page to lead to; it is found by scrolling. The
 * switch that a page is named after is found as that page. */
static bool is_result(const struct ia_setting *s, int on_page, const char *query)
{
    bool here = on_page == IA_PAGE_ROOT && s->kind != IA_SET_PAGE;
    return s->label && !here && strcmp(s->label, ia_setting_pages[on_page].title) != 0 &&
           ia_kit_matches(s->label, query);
}

static void add_results(struct ia_kit *k, const char *query)
{
    float before = k->y;
    for (int page = 0; page < IA_PAGE_COUNT; page++) {
        const struct ia_setting_page *pg = &ia_setting_pages[page];
        for (int i = 0; i < pg->count; i++) {
            for (int r = 0; r < pg->sections[i].count; r++) {
                const struct ia_setting *s = &pg->sections[i].rows[r];
                if (is_result(s, page, query)) {
                    add_result(k, s, page);
                }
            }
        }
    }
    if (k->y <= before) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    }
}

static void build_page(struct ia_kit *k)
{
    bool root = k->entry->arg == IA_PAGE_ROOT;
    const struct ia_kit_nav nav = {.large = root, .search = root};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    const char *query = root ? ia_kit_query(k) : "";
    if (*query) {
        add_results(k, query);
    } else {
        add_page(k, &ia_setting_pages[k->entry->arg]);
    }
    ia_kit_end(k);
}

static void build_choice(struct ia_kit *k)
{
    const struct ia_kit_nav nav = {0};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    add_options(k, (enum ia_choice)k->entry->arg);
    ia_kit_end(k);
}

static void build_name(struct ia_kit *k)
{
    const struct ia_kit_nav nav = {0};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_SETTINGS_FIELD_NAME);
    ia_kit_end(k);
}

static const char *page_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return ia_setting_pages[e->arg].title;
}

static const char *choice_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return ia_choice_title((enum ia_choice)e->arg);
}

static const struct ia_screen screen_page = {"Settings", build_page, page_title, NULL};
static const struct ia_screen screen_choice = {"Choice", build_choice, choice_title, NULL};
static const struct ia_screen screen_name = {"Name", build_name, NULL, NULL};

/* The phone's name follows the field; an empty field leaves it as it was. */
static void edited(struct ia_phone *p, int field)
{
    const char *text = ia_edit_text(ia_phone_front_const(p), field);
    size_t n = strlen(text);
    if (field == IA_SETTINGS_FIELD_NAME && n > 0 && n < sizeof(p->prefs.name)) {
        (void)snprintf(p->prefs.name, sizeof(p->prefs.name), "%s", text);
    }
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("prefs:")) || ia_str_starts(url, ia_str("App-prefs:")) ||
           ia_str_starts(url, ia_str("app-settings:"));
}

/* The part of the url after key up to "&" or "/", or the empty string. */
static struct ia_str url_part(struct ia_str url, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i + n <= url.n; i++) {
        if (memcmp(url.p + i, key, n) == 0) {
            size_t end = i + n;
            while (end < url.n && url.p[end] != '&' && url.p[end] != '/') {
                end++;
            }
            return (struct ia_str){url.p + i + n, end - i - n};
        }
    }
    return (struct ia_str){"", 0};
}

static void enter_page(struct ia_phone *p, int page)
{
    int parent = ia_setting_pages[page].parent;
    if (page != IA_PAGE_ROOT) {
        enter_page(p, parent);
        ia_nav_push(p, &screen_page, page);
    }
}

/* prefs:root=General, prefs:root=General&path=About. An unknown name opens the first page. */
static void open_url(struct ia_phone *p, struct ia_str url)
{
    struct ia_str path = url_part(url, "path=");
    struct ia_str name = path.n ? path : url_part(url, "root=");
    for (int i = 0; i < IA_PAGE_COUNT; i++) {
        const char *known = ia_setting_pages[i].url;
        if (known && ia_str_is(name, known)) {
            enter_page(p, i);
            return;
        }
    }
}

static const struct ia_field fields[] = {
    [IA_SETTINGS_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
    [IA_SETTINGS_FIELD_NAME] = {"device-name", "Name", "Name", IA_KEYBOARD_WORDS, -1, "done"},
};

const struct ia_app ia_app_settings = {
    .bundle_id = "com.apple.Preferences",
    .name = "Settings",
    .icon = IA_ICON_SETTINGS,
    .rotates = true,
    .root = &screen_page,
    .fields = fields,
    .takes_url = takes_url,
    .open_url = open_url,
    .edited = edited,
    .left = left,
};
