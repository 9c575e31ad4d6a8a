/* reminders.c: the lists, and the reminders in one. */
#include "driver/embedded/apps/reminders/reminders.h"

#include "driver/embedded/ui/shell.h"

#include <string.h>

enum { ROW_H = 48, ROW_TALL_H = 64, CIRCLE = 44 };

static const struct ia_screen screen_lists, screen_list;

/* ---- touches ---- */

static void open_list(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_list, t->arg);
}

static void open_reminder(struct ia_phone *p, const struct ia_touch *t)
{
    ia_reminders_edit(p, t->arg, 0);
}

static void new_reminder(struct ia_phone *p, const struct ia_touch *t)
{
    ia_reminders_edit(p, 0, t->arg);
}

static void new_list(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_reminders_edit_list(p);
}

static void complete(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_reminder *row = ia_reminders_find(ia_reminders_of(p), t->arg);
    row->done = !row->done;
}

/* ---- one reminder ---- */

static void circle(struct ia_kit *k, const struct ia_reminder *row, float x, float y)
{
    struct ia_scene *s = k->scene;
    (void)ia_scene_push(s, IA_EL_BUTTON, x, y, CIRCLE, CIRCLE);
    const char *label =
        ia_scene_printf(s, "%s %s", row->done ? "Reopen" : "Complete", row->title);
    struct ia_view *v = &s->views[s->parent];
    v->label = label;
    v->ident = "complete";
    v->flags = row->done ? IA_VIEW_SELECTED : 0;
    v->tap = complete;
    v->arg = row->id;
    struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, x + 11, y + 11, 22, 22);
    sym->paint = IA_PAINT_SYMBOL;
    sym->symbol = row->done ? IA_SYMBOL_CIRCLE_CHECK : IA_SYMBOL_CIRCLE;
    sym->color = row->done ? IA_COLOR_BLUE : IA_COLOR_GRAY;
    ia_scene_pop(s);
}

/* "Tomorrow · Two photos are needed" */
static const char *subtitle(struct ia_kit *k, const struct ia_reminder *row)
{
    int32_t today = ia_day_of(k->phone->now_ms);
    const char *due = row->due ? ia_day_text(k->scene, row->due, today) : "";
    if (!*due || !*row->notes) {
        return *due ? due : row->notes;
    }
    return ia_scene_printf(k->scene, "%s \xC2\xB7 %s", due, row->notes);
}

static void reminder_row(struct ia_kit *k, const struct ia_reminder *row)
{
    struct ia_scene *s = k->scene;
    const char *under = subtitle(k, row);
    float h = *under ? ROW_TALL_H : ROW_H;
    struct ia_rect f = ia_kit_card(k, h, CIRCLE + 8);
    float x = (float)f.x, y = (float)f.y, w = (float)f.w;
    bool late = row->due && row->due < ia_day_of(k->phone->now_ms) && !row->done;
    (void)ia_scene_push(s, IA_EL_CELL, x, y, w, h);
    struct ia_view *v = &s->views[s->parent];
    v->label = row->title;
    v->value = row->done ? "Completed" : *under ? under : NULL;
    v->tap = open_reminder;
    v->arg = row->id;
    circle(k, row, x + 4, y + (h - CIRCLE) / 2);
    float left = x + CIRCLE + 8, room = w - CIRCLE - 20;
    (void)ia_scene_label(s, row->title, left, y + (*under ? 11 : 13.5F), room,
                         IA_INK(17, row->done ? IA_COLOR_SECONDARY : IA_COLOR_LABEL, 0));
    if (*under) {
        (void)ia_scene_label(s, under, left, y + 36, room,
                             IA_INK(13, late ? IA_COLOR_RED : IA_COLOR_SECONDARY, 0));
    }
    ia_scene_pop(s);
}

/* ---- a list ---- */

/* The rows of a list that are done, or that are not. Returns how many. */
static int list_part(struct ia_kit *k, int32_t list, bool done, const char *header)
{
    const struct ia_reminders *r = ia_reminders_of_const(k->phone);
    int32_t today = ia_day_of(k->phone->now_ms);
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        if (r->rows[i].done == done && ia_reminders_in(&r->rows[i], list, today)) {
            if (n++ == 0) {
                ia_kit_section(k, header);
            }
            reminder_row(k, &r->rows[i]);
        }
    }
    return n;
}

static void build_list(struct ia_kit *k)
{
    int32_t list = k->entry->arg;
    struct ia_kit_nav nav = {.large = true};
    if (list > 0) {
        nav.right = (struct ia_kit_button){.label = "New Reminder",
                                           .ident = "new-reminder",
                                           .symbol = IA_SYMBOL_PLUS,
                                           .tap = new_reminder,
                                           .arg = list};
    }
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    int open = list_part(k, list, false, NULL);
    int done = list_part(k, list, true, "COMPLETED");
    if (open + done == 0) {
        ia_kit_empty(k, "No Reminders",
                     list > 0 ? "Tap + to add one." : "Nothing is due here.");
    }
    ia_kit_end(k);
}

static const char *list_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    switch (e->arg) {
    case IA_REMINDERS_TODAY:
        return "Today";
    case IA_REMINDERS_ALL:
        return "All";
    case IA_REMINDERS_DONE:
        return "Completed";
    default:
        return ia_reminders_list(ia_reminders_of_const(p), e->arg)->name;
    }
}

/* ---- the lists ---- */

static void list_row(struct ia_kit *k, const char *label, const char *ident, int32_t id,
                     enum ia_symbol symbol, enum ia_color tile)
{
    int n = ia_reminders_open(ia_reminders_of_const(k->phone), id, ia_day_of(k->phone->now_ms));
    ia_kit_row(k, &(struct ia_kit_row){.label = label,
                                       .ident = ident,
                                       .detail = ia_scene_printf(k->scene, "%d", n),
                                       .symbol = (uint8_t)symbol,
                                       .tile = (uint8_t)tile,
                                       .accessory = IA_ROW_CHEVRON,
                                       .tap = open_list,
                                       .arg = id});
}

static void all_lists(struct ia_kit *k)
{
    static const uint8_t tiles[] = {IA_COLOR_ORANGE, IA_COLOR_GREEN, IA_COLOR_INDIGO,
                                    IA_COLOR_PINK};
    const struct ia_reminders *r = ia_reminders_of_const(k->phone);
    ia_kit_section(k, NULL);
    list_row(k, "Today", "today", IA_REMINDERS_TODAY, IA_SYMBOL_CALENDAR, IA_COLOR_BLUE);
    list_row(k, "All", "all", IA_REMINDERS_ALL, IA_SYMBOL_TRAY, IA_COLOR_GRAY);
    list_row(k, "Completed", "completed", IA_REMINDERS_DONE, IA_SYMBOL_CHECK, IA_COLOR_GRAY);
    ia_kit_section(k, "MY LISTS");
    for (int i = 0; i < r->list_count; i++) {
        const struct ia_reminder_list *list = &r->lists[i];
        list_row(k, list->name, NULL, list->id, IA_SYMBOL_LIST,
                 (enum ia_color)tiles[i % (int)IA_COUNTOF(tiles)]);
    }
}

static void found_rows(struct ia_kit *k, const char *query)
{
    const struct ia_reminders *r = ia_reminders_of_const(k->phone);
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        const struct ia_reminder *row = &r->rows[i];
        bool found = ia_kit_matches(row->title, query) || ia_kit_matches(row->notes, query);
        if (found && !row->hidden) {
            if (n++ == 0) {
                ia_kit_section(k, NULL);
            }
            reminder_row(k, row);
        }
    }
    if (n == 0) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    }
}

static void build_lists(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .large = true,
        .search = true,
        .right = {.label = "Add List", .ident = "add-list", .tap = new_list},
    };
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    const char *query = ia_kit_query(k);
    if (*query) {
        found_rows(k, query);
    } else {
        all_lists(k);
    }
    ia_kit_end(k);
}

/* ---- the app ---- */

static void *create(uint64_t seed)
{
    (void)seed;
    return ia_reminders_new();
}

static void destroy(void *data)
{
    ia_reminders_free(data);
}

static void started(struct ia_phone *p)
{
    ia_reminders_sweep(ia_reminders_of(p), ia_phone_bug(p, IA_BUG_REMINDERS_GHOST));
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("x-apple-reminderkit:"));
}

static const struct ia_screen screen_lists = {"Lists", build_lists, NULL, NULL};
static const struct ia_screen screen_list = {"List", build_list, list_title, NULL};

static const struct ia_field fields[IA_REMINDERS_FIELD_COUNT] = {
    [IA_REMINDERS_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1,
                                   "search"},
    [IA_REMINDERS_FIELD_TITLE] = {"title", "Title", "Title", IA_KEYBOARD_TEXT,
                                  IA_REMINDERS_FIELD_NOTES, "next"},
    [IA_REMINDERS_FIELD_NOTES] = {"notes", "Notes", "Notes", IA_KEYBOARD_TEXT, -1, "return"},
    [IA_REMINDERS_FIELD_LIST] = {"list-name", "List name", "List name", IA_KEYBOARD_TEXT, -1,
                                 "return"},
};

const struct ia_app ia_app_reminders = {
    .bundle_id = "com.apple.reminders",
    .name = "Reminders",
    .icon = IA_ICON_REMINDERS,
    .rotates = true,
    .root = &screen_lists,
    .fields = fields,
    .create = create,
    .destroy = destroy,
    .takes_url = takes_url,
    .started = started,
    .state_json = ia_reminders_json,
};
