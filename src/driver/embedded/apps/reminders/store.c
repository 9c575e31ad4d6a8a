/* store.c: the lists and reminders themselves. */
#include "driver/embedded/apps/reminders/reminders.h"

#include "driver/embedded/ui/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 86400000, FIRST_DAY = (int)(IA_PHONE_EPOCH_MS / DAY_MS) };

/* Day offsets are from the day on which every phone begins. */
static const struct {
    const char *list, *title, *notes;
    int due; /* 0: none, else FIRST_DAY + due - 1 */
    bool done;
} factory[] = {
    {"Reminders", "Call the dentist", "", 1, false},
    {"Reminders", "Renew passport", "Two photos are needed", 8, false},
    {"Reminders", "Water the plants", "", 2, false},
    {"Groceries", "Milk", "", 0, false},
    {"Groceries", "Bread", "Whole grain", 0, false},
    {"Groceries", "Coffee beans", "", 0, true},
    {"Work", "Send the quarterly report", "", 3, false},
    {"Work", "Book a meeting room", "", 1, true},
    {"Holiday", NULL, NULL, 0, false},
};

static int32_t list_named(struct ia_reminders *r, const char *name)
{
    for (int i = 0; i < r->list_count; i++) {
        if (strcmp(r->lists[i].name, name) == 0) {
            return r->lists[i].id;
        }
    }
    return ia_reminders_add_list(r, name);
}

struct ia_reminders *ia_reminders_new(void)
{
    struct ia_reminders *r = ia_calloc(1, sizeof(*r));
    r->next_id = 1;
    for (size_t i = 0; i < IA_COUNTOF(factory); i++) {
        int32_t list = list_named(r, factory[i].list);
        struct ia_reminder row = {.list = list, .done = factory[i].done};
        row.due = factory[i].due ? FIRST_DAY + factory[i].due - 1 : 0;
        if (factory[i].title) {
            row.title = (char *)(uintptr_t)factory[i].title;
            row.notes = (char *)(uintptr_t)factory[i].notes;
            (void)ia_reminders_put(r, &row);
        }
    }
    return r;
}

static void forget(struct ia_reminder *row)
{
    free(row->title);
    free(row->notes);
}

void ia_reminders_free(struct ia_reminders *r)
{
    for (int i = 0; i < r->count; i++) {
        forget(&r->rows[i]);
    }
    for (int i = 0; i < r->list_count; i++) {
        free(r->lists[i].name);
    }
    free(r->rows);
    free(r);
}

struct ia_reminder *ia_reminders_find(struct ia_reminders *r, int32_t id)
{
    for (int i = 0; i < r->count; i++) {
        if (r->rows[i].id == id) {
            return &r->rows[i];
        }
    }
    return NULL;
}

const struct ia_reminder_list *ia_reminders_list(const struct ia_reminders *r, int32_t id)
{
    for (int i = 0; i < r->list_count; i++) {
        if (r->lists[i].id == id) {
            return &r->lists[i];
        }
    }
    return NULL;
}

bool ia_reminders_in(const struct ia_reminder *row, int32_t list, int32_t today)
{
    if (row->hidden) {
        return false;
    }
    switch (list) {
    case IA_REMINDERS_TODAY:
        return row->due && row->due <= today && !row->done;
    case IA_REMINDERS_ALL:
        return !row->done;
    case IA_REMINDERS_DONE:
        return row->done;
    default:
        return row->list == list;
    }
}

int ia_reminders_open(const struct ia_reminders *r, int32_t list, int32_t today)
{
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        bool counts = list == IA_REMINDERS_DONE || !r->rows[i].done;
        n += counts && ia_reminders_in(&r->rows[i], list, today);
    }
    return n;
}

bool ia_reminders_put(struct ia_reminders *r, const struct ia_reminder *from)
{
    struct ia_reminder *old = from->id ? ia_reminders_find(r, from->id) : NULL;
    if (!old && r->count == IA_REMINDERS_MAX) {
        return false;
    }
    struct ia_reminder fresh = *from;
    fresh.title = ia_trimmed(from->title);
    fresh.notes = ia_trimmed(from->notes);
    if (old) {
        forget(old);
        *old = fresh;
        return true;
    }
    fresh.id = r->next_id++;
    r->rows = ia_realloc(r->rows, (size_t)r->count + 1, sizeof(*r->rows));
    r->rows[r->count++] = fresh;
    return true;
}

void ia_reminders_remove(struct ia_reminders *r, int32_t id)
{
    struct ia_reminder *old = ia_reminders_find(r, id);
    if (!old) {
        return;
    }
    forget(old);
    size_t at = (size_t)(old - r->rows);
    r->count--;
    memmove(old, old + 1, ((size_t)r->count - at) * sizeof(*old));
}

int32_t ia_reminders_add_list(struct ia_reminders *r, const char *name)
{
    if (r->list_count == IA_REMINDER_LISTS_MAX) {
        return 0;
    }
    struct ia_reminder_list *list = &r->lists[r->list_count++];
    *list = (struct ia_reminder_list){.id = r->next_id++, .name = ia_trimmed(name)};
    return list->id;
}

void ia_reminders_sweep(struct ia_reminders *r, bool back)
{
    for (int i = r->count - 1; i >= 0; i--) {
        if (r->rows[i].hidden && back) {
            r->rows[i].hidden = false;
        } else if (r->rows[i].hidden) {
            ia_reminders_remove(r, r->rows[i].id);
        }
    }
}

static void due_json(int32_t due, struct ia_jsonw *w)
{
    char day[16];
    struct ia_civil c = ia_civil_at((int64_t)due * DAY_MS);
    int n = snprintf(day, sizeof(day), "%04d-%02d-%02d", c.year, c.month, c.day);
    ia_jsonw_kv(w, "due", due && n > 0 ? day : NULL);
}

void ia_reminder_json(const struct ia_reminders *r, const struct ia_reminder *row,
                      struct ia_jsonw *w)
{
    ia_jsonw_kv(w, "title", row->title);
    ia_jsonw_kv(w, "notes", row->notes);
    ia_jsonw_kv(w, "list", ia_reminders_list(r, row->list)->name);
    due_json(row->due, w);
    ia_jsonw_kv_bool(w, "completed", row->done);
}

void ia_reminders_json(const void *reminders, struct ia_jsonw *w)
{
    const struct ia_reminders *r = reminders;
    ia_jsonw_key(w, "reminders");
    ia_jsonw_array(w);
    for (int i = 0; i < r->count; i++) {
        const struct ia_reminder *row = &r->rows[i];
        if (row->hidden) {
            continue;
        }
        ia_jsonw_object(w);
        ia_reminder_json(r, row, w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "reminder_lists");
    ia_jsonw_array(w);
    for (int i = 0; i < r->list_count; i++) {
        ia_jsonw_string(w, r->lists[i].name);
    }
    ia_jsonw_end_array(w);
}

struct ia_reminders *ia_reminders_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_reminders)->data;
}

const struct ia_reminders *ia_reminders_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_reminders)->data;
}
