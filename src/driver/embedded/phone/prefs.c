/* prefs.c: the settings as tables: switches, levels and choices, their names and factory values. */
#include "driver/embedded/phone/prefs.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *key;
    bool on;
} switches[IA_SWITCH_COUNT] = {
#define ROW(name, key, on) [name] = {key, on},
    IA_SWITCH_LIST(ROW)
#undef ROW
};

static const struct {
    const char *key, *title, *options;
    uint8_t first;
} choices[IA_CHOICE_COUNT] = {
#define ROW(name, key, title, first, options) [name] = {key, title, options, first},
    IA_CHOICE_LIST(ROW)
#undef ROW
};

static const struct {
    const char *key, *label;
    uint8_t level;
} levels[IA_LEVEL_COUNT] = {
#define ROW(name, key, label, level) [name] = {key, label, level},
    IA_LEVEL_LIST(ROW)
#undef ROW
};

void ia_prefs_reset(struct ia_prefs *p)
{
    *p = (struct ia_prefs){0};
    for (int i = 0; i < IA_SWITCH_COUNT; i++) {
        p->on |= (uint64_t)switches[i].on << i;
    }
    for (int i = 0; i < IA_CHOICE_COUNT; i++) {
        p->choice[i] = choices[i].first;
    }
    for (int i = 0; i < IA_LEVEL_COUNT; i++) {
        p->level[i] = levels[i].level;
    }
    (void)snprintf(p->name, sizeof(p->name), "iPhone");
}

bool ia_prefs_on(const struct ia_prefs *p, enum ia_switch s)
{
    return (p->on >> s & 1) != 0;
}

void ia_prefs_toggle(struct ia_prefs *p, enum ia_switch s)
{
    p->on ^= UINT64_C(1) << s;
}

const char *ia_switch_key(enum ia_switch s)
{
    return switches[s].key;
}

const char *ia_choice_key(enum ia_choice c)
{
    return choices[c].key;
}

const char *ia_choice_title(enum ia_choice c)
{
    return choices[c].title;
}

struct ia_str ia_choice_option(enum ia_choice c, int i)
{
    const char *p = choices[c].options;
    for (; i > 0 && *p; i--) {
        p = strchr(p, '|') + 1;
    }
    return (struct ia_str){p, strcspn(p, "|")};
}

struct ia_str ia_prefs_choice(const struct ia_prefs *p, enum ia_choice c)
{
    return ia_choice_option(c, p->choice[c]);
}

const char *ia_level_key(enum ia_level l)
{
    return levels[l].key;
}

const char *ia_level_label(enum ia_level l)
{
    return levels[l].label;
}

void ia_prefs_json(const struct ia_prefs *p, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    for (int i = 0; i < IA_SWITCH_COUNT; i++) {
        ia_jsonw_kv_bool(w, switches[i].key, ia_prefs_on(p, (enum ia_switch)i));
    }
    for (int i = 0; i < IA_CHOICE_COUNT; i++) {
        ia_jsonw_key(w, choices[i].key);
        ia_jsonw_str(w, ia_prefs_choice(p, (enum ia_choice)i));
    }
    for (int i = 0; i < IA_LEVEL_COUNT; i++) {
        ia_jsonw_kv_int(w, levels[i].key, p->level[i]);
    }
    ia_jsonw_kv(w, "device_name", p->name);
    ia_jsonw_end_object(w);
}
