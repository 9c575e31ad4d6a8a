/* sheets.c: the sheets in which a reminder or a list is made or changed. */
#include "driver/embedded/apps/reminders/reminders.h"

#include <string.h>

/* What the sheet remembers besides its fields. */
enum { MEMO_DUE, MEMO_LIST };

static bool blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

static const char *typed(const struct ia_phone *p, int field)
{
    return ia_edit_text(ia_phone_front_const(p), field);
}

static void close_sheet(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_set(p, IA_REMINDERS_FIELD_TITLE, "");
    ia_edit_set(p, IA_REMINDERS_FIELD_NOTES, "");
    ia_edit_set(p, IA_REMINDERS_FIELD_LIST, "");
    ia_nav_pop(p);
}

/* ---- a reminder ---- */

static void delete_reminder(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_reminders *r = ia_reminders_of(p);
    close_sheet(p, t);
    if (ia_phone_bug(p, IA_BUG_REMINDERS_GHOST)) {
        ia_reminders_find(r, t->arg)->hidden = true;
    } else {
        ia_reminders_remove(r, t->arg);
    }
}

static const struct ia_alert alert_delete = {
    .action_sheet = true,
    .title = "Are you sure you want to delete this reminder?",
    .buttons = {{"Delete Reminder", IA_ALERT_DESTRUCTIVE, delete_reminder},
                {"Cancel", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_discard = {
    .action_sheet = true,
    .title = "Are you sure you want to discard your changes?",
    .buttons = {{"Discard Changes", IA_ALERT_DESTRUCTIVE, close_sheet},
                {"Keep Editing", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_full =
    IA_ALERT_OK("Cannot Save", "There is no room for more.");

static void on_delete(struct ia_phone *p, const struct ia_touch *t)
{
    ia_alert_show(p, &alert_delete, t->arg);
}

static void choose_due(struct ia_phone *p, const struct ia_touch *t)
{
    ia_phone_front(p)->memo[MEMO_DUE] = t->arg;
}

/* What the sheet would save; the texts are borrowed from its fields. */
static struct ia_reminder draft(const struct ia_phone *p, int32_t id)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    return (struct ia_reminder){
        .id = id,
        .list = a->memo[MEMO_LIST],
        .due = a->memo[MEMO_DUE],
        .title = (char *)(uintptr_t)typed(p, IA_REMINDERS_FIELD_TITLE),
        .notes = (char *)(uintptr_t)typed(p, IA_REMINDERS_FIELD_NOTES),
    };
}

static const struct ia_reminder *row_of(const struct ia_phone *p, int32_t id)
{
    const struct ia_reminders *r = ia_reminders_of_const(p);
    for (int i = 0; i < r->count; i++) {
        if (r->rows[i].id == id) {
            return &r->rows[i];
        }
    }
    return NULL;
}

static bool changed(const struct ia_phone *p, int32_t id)
{
    struct ia_reminder now = draft(p, id);
    const struct ia_reminder *old = row_of(p, id);
    if (!old) {
        return *now.title || *now.notes || now.due;
    }
    return strcmp(now.title, old->title) != 0 || strcmp(now.notes, old->notes) != 0 ||
           now.due != old->due;
}

static void on_cancel(struct ia_phone *p, const struct ia_touch *t)
{
    if (changed(p, ia_nav_top(p)->arg)) {
        ia_alert_show(p, &alert_discard, 0);
    } else {
        close_sheet(p, t);
    }
}

static void on_done(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_reminder now = draft(p, t->arg);
    const struct ia_reminder *old = row_of(p, t->arg);
    bool tomorrow = now.due == ia_day_of(p->now_ms) + 1;
    now.due += tomorrow && ia_phone_bug(p, IA_BUG_REMINDERS_LATE);
    now.done = old && old->done;
    if (ia_reminders_put(ia_reminders_of(p), &now)) {
        close_sheet(p, t);
    } else {
        ia_alert_show(p, &alert_full, 0);
    }
}

static void due_row(struct ia_kit *k, const char *label, int32_t day)
{
    int32_t today = ia_day_of(k->phone->now_ms);
    const char *date = day ? ia_day_text(k->scene, day, today - 9) : NULL;
    bool same = date && strcmp(date, label) == 0;
    ia_kit_row(k, &(struct ia_kit_row){.label = label,
                                       .ident = label,
                                       .detail = same ? NULL : date,
                                       .accessory = IA_ROW_CHECK,
                                       .on = k->app->memo[MEMO_DUE] == day,
                                       .tap = choose_due,
                                       .arg = day});
}

static void due_rows(struct ia_kit *k)
{
    int32_t today = ia_day_of(k->phone->now_ms), due = k->app->memo[MEMO_DUE];
    ia_kit_section(k, "DUE");
    due_row(k, "None", 0);
    due_row(k, "Today", today);
    due_row(k, "Tomorrow", today + 1);
    due_row(k, "Next Week", today + 7);
    if (due && due != today && due != today + 1 && due != today + 7) {
        due_row(k, ia_day_text(k->scene, due, today), due);
    }
}

static void build_sheet(struct ia_kit *k)
{
    int32_t id = k->entry->arg;
    const char *title = typed(k->phone, IA_REMINDERS_FIELD_TITLE);
    const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = on_cancel, .arg = id},
        .right = {.label = id ? "Done" : "Add",
                  .ident = id ? "done" : "add",
                  .bold = true,
                  .tap = on_done,
                  .arg = id,
                  .disabled = blank(title) || !changed(k->phone, id)},
    };
    const struct ia_reminder_list *list =
        ia_reminders_list(ia_reminders_of_const(k->phone), k->app->memo[MEMO_LIST]);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_REMINDERS_FIELD_TITLE);
    ia_kit_field(k, IA_REMINDERS_FIELD_NOTES);
    due_rows(k);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "List", .ident = "list", .detail = list->name});
    if (id) {
        ia_kit_section(k, NULL);
        ia_kit_row(k, &(struct ia_kit_row){.label = "Delete Reminder",
                                           .ident = "delete-reminder",
                                           .color = IA_COLOR_RED,
                                           .button = true,
                                           .tap = on_delete,
                                           .arg = id});
    }
    ia_kit_end(k);
}

static const char *sheet_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return e->arg ? "Details" : "New Reminder";
}

void ia_reminders_edit(struct ia_phone *p, int32_t id, int32_t list)
{
    const struct ia_reminder *row = row_of(p, id);
    struct ia_app_state *a = ia_phone_front(p);
    if (a->depth == IA_NAV_MAX) {
        return;
    }
    ia_nav_present(p, &ia_reminders_sheet, id);
    a->memo[MEMO_DUE] = row ? row->due : 0;
    a->memo[MEMO_LIST] = row ? row->list : list;
    ia_edit_set(p, IA_REMINDERS_FIELD_TITLE, row ? row->title : "");
    ia_edit_set(p, IA_REMINDERS_FIELD_NOTES, row ? row->notes : "");
    ia_edit_focus(p, id ? -1 : IA_REMINDERS_FIELD_TITLE);
}

/* ---- a list ---- */

static void on_list_done(struct ia_phone *p, const struct ia_touch *t)
{
    const char *name = typed(p, IA_REMINDERS_FIELD_LIST);
    if (ia_reminders_add_list(ia_reminders_of(p), name)) {
        close_sheet(p, t);
    } else {
        ia_alert_show(p, &alert_full, 0);
    }
}

static void build_list_sheet(struct ia_kit *k)
{
    const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = close_sheet},
        .right = {.label = "Done",
                  .ident = "done",
                  .bold = true,
                  .tap = on_list_done,
                  .disabled = blank(typed(k->phone, IA_REMINDERS_FIELD_LIST))},
    };
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_REMINDERS_FIELD_LIST);
    ia_kit_end(k);
}

void ia_reminders_edit_list(struct ia_phone *p)
{
    ia_nav_present(p, &ia_reminders_list_sheet, 0);
    ia_edit_focus(p, IA_REMINDERS_FIELD_LIST);
}

const struct ia_screen ia_reminders_sheet = {"Details", build_sheet, sheet_title, on_cancel};
const struct ia_screen ia_reminders_list_sheet = {"New List", build_list_sheet, NULL,
                                                  close_sheet};
