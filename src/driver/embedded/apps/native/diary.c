/* diary.c: calendar and reminders. */
#include "driver/embedded/apps/calendar/calendar.h"
#include "driver/embedded/apps/native/native.h"
#include "driver/embedded/apps/reminders/reminders.h"

#include "json/json.h"

#include <stdlib.h>
#include <strings.h>

enum { HOUR_MS = 3600000, DAY_MS = 86400000 };
#define SOON_MS (30 * INT64_C(86400000))

/* Texts are borrowed; what takes them copies them. */
static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- calendar ---------------------------------------------------------------------------- */

enum ia_rc ia_native_calendar_read(struct ia_native_call *c)
{
    const struct ia_calendar *all = ia_calendar_of_const(c->p);
    const char *query = ia_native_text(c, "query");
    int64_t from = c->p->now_ms, to;
    bool day;
    (void)ia_native_when(c, "from", &from, &day);
    to = from + SOON_MS;
    enum ia_rc rc = ia_native_span(c, &from, &to);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_native_list list = ia_native_list_begin(c->w, "events");
    for (int i = 0; i < all->count; i++) {
        const struct ia_event *e = &all->rows[i];
        bool named = ia_kit_matches(e->title, query) || ia_kit_matches(e->location, query);
        if (named && e->to_ms > from && e->from_ms < to && ia_native_list_item(&list)) {
            ia_event_json(e, c->w);
            ia_jsonw_end_object(c->w);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

/* The times of an event as the arguments leave them. */
static enum ia_rc set_times(const struct ia_native_call *c, struct ia_event *e)
{
    int64_t from = e->from_ms, to = e->to_ms;
    bool from_day = e->all_day, to_day = e->all_day;
    bool starts = ia_native_when(c, "start", &from, &from_day);
    bool ends = ia_native_when(c, "end", &to, &to_day);
    if (ends) {
        to += to_day ? DAY_MS : 0;
    } else if (starts && from_day != e->all_day) {
        to = from + (from_day ? DAY_MS : HOUR_MS);
        to_day = from_day;
    } else if (starts) { /* it is moved */
        to = from + (e->to_ms - e->from_ms);
    }
    if (from_day != to_day || to <= from) {
        enum ia_rc rc =
            ia_err_set(c->err, IA_E_USAGE,
                       from_day != to_day ? "one of start and end is a day, the other a time"
                                          : "the event ends before it starts");
        ia_err_hint(c->err, "give both as days, or both as times, the start first");
        return rc;
    }
    e->from_ms = from;
    e->to_ms = to;
    e->all_day = from_day;
    return IA_OK;
}

static void set_texts(const struct ia_native_call *c, struct ia_event *e)
{
    e->title = text_of(ia_native_has(c, "title") ? ia_native_text(c, "title") : e->title);
    e->notes = text_of(ia_native_has(c, "notes") ? ia_native_text(c, "notes") : e->notes);
    e->location =
        text_of(ia_native_has(c, "location") ? ia_native_text(c, "location") : e->location);
}

static void put_event(const struct ia_native_call *c, const char *key, const struct ia_event *e)
{
    ia_jsonw_key(c->w, key);
    ia_jsonw_object(c->w);
    ia_event_json(e, c->w);
    ia_jsonw_end_object(c->w);
}

static enum ia_rc store_event(const struct ia_native_call *c, const struct ia_event *e)
{
    struct ia_calendar *all = ia_calendar_of(c->p);
    if (e->id == 0 && all->count == IA_EVENTS_MAX) {
        return ia_err_set(c->err, IA_E_LIMIT, "the calendar has room for %d events",
                          IA_EVENTS_MAX);
    }
    if (c->w) {
        put_event(c, "event", ia_calendar_find(all, ia_calendar_put(all, e)));
    }
    return IA_OK;
}

enum ia_rc ia_native_calendar_create(struct ia_native_call *c)
{
    struct ia_event e = {.to_ms = HOUR_MS,
                         .title = text_of(""),
                         .location = text_of(""),
                         .notes = text_of(""),
                         .calendar = "Home"};
    set_texts(c, &e);
    enum ia_rc rc = set_times(c, &e);
    return rc == IA_OK ? store_event(c, &e) : rc;
}

static const struct ia_event *the_event(const struct ia_native_call *c)
{
    return ia_calendar_find(ia_calendar_of_const(c->p), ia_native_id(c));
}

enum ia_rc ia_native_calendar_update(struct ia_native_call *c)
{
    const struct ia_event *old = the_event(c);
    if (!old) {
        return ia_native_missing(c, "event with the id", ia_native_text(c, "id"));
    }
    /* Copies, as the old texts go when the new ones are put in their place. */
    char *title = ia_strdup(old->title), *notes = ia_strdup(old->notes);
    char *location = ia_strdup(old->location);
    struct ia_event e = *old;
    e.title = title;
    e.notes = notes;
    e.location = location;
    set_texts(c, &e);
    enum ia_rc rc = set_times(c, &e);
    rc = rc == IA_OK ? store_event(c, &e) : rc;
    free(title);
    free(notes);
    free(location);
    return rc;
}

enum ia_rc ia_native_calendar_delete(struct ia_native_call *c)
{
    const struct ia_event *e = the_event(c);
    if (!e) {
        return ia_native_missing(c, "event with the id", ia_native_text(c, "id"));
    }
    if (c->w) {
        put_event(c, "deleted", e);
        ia_calendar_remove(ia_calendar_of(c->p), e->id);
    }
    return IA_OK;
}

/* ---- reminders --------------------------------------------------------------------------- */

/* The list of that name; NULL: there is none. */
static const struct ia_reminder_list *list_named(const struct ia_reminders *r, const char *name)
{
    for (int i = 0; i < r->list_count; i++) {
        if (strcasecmp(r->lists[i].name, name) == 0) {
            return &r->lists[i];
        }
    }
    return NULL;
}

static enum ia_rc no_list(const struct ia_native_call *c)
{
    const struct ia_reminders *r = ia_reminders_of_const(c->p);
    struct ia_buf names = IA_BUF(400);
    enum ia_rc rc = ia_native_missing(c, "list", ia_native_text(c, "list"));
    for (int i = 0; i < r->list_count; i++) {
        ia_buf_printf(&names, "%s%s", i ? ", " : "", r->lists[i].name);
    }
    ia_err_hint(c->err, "the lists are: %s", ia_buf_cstr(&names));
    ia_buf_fini(&names);
    return rc;
}

enum ia_rc ia_native_reminder_lists(struct ia_native_call *c)
{
    const struct ia_reminders *r = ia_reminders_of_const(c->p);
    ia_jsonw_key(c->w, "lists");
    ia_jsonw_array(c->w);
    for (int i = 0; i < r->list_count; i++) {
        ia_jsonw_string(c->w, r->lists[i].name);
    }
    ia_jsonw_end_array(c->w);
    return IA_OK;
}

static bool wanted(const struct ia_native_call *c, const struct ia_reminder *row,
                   const struct ia_reminder_list *list)
{
    const json_t *completed = json_object_get(c->args, "completed");
    const char *query = ia_native_text(c, "query");
    return !row->hidden && (!list || row->list == list->id) &&
           (!completed || row->done == json_is_true(completed)) &&
           (ia_kit_matches(row->title, query) || ia_kit_matches(row->notes, query));
}

static void put_reminder(const struct ia_native_call *c, const struct ia_reminder *row)
{
    ia_native_put_id(c->w, row->id);
    ia_reminder_json(ia_reminders_of_const(c->p), row, c->w);
    ia_jsonw_end_object(c->w);
}

enum ia_rc ia_native_reminder_read(struct ia_native_call *c)
{
    const struct ia_reminders *r = ia_reminders_of_const(c->p);
    const struct ia_reminder_list *list = list_named(r, ia_native_text(c, "list"));
    if (ia_native_has(c, "list") && !list) {
        return no_list(c);
    }
    struct ia_native_list out = ia_native_list_begin(c->w, "reminders");
    for (int i = 0; i < r->count; i++) {
        if (wanted(c, &r->rows[i], list) && ia_native_list_item(&out)) {
            put_reminder(c, &r->rows[i]);
        }
    }
    ia_native_list_end(&out);
    return IA_OK;
}

/* Adds or replaces the reminder as the arguments leave it. */
static enum ia_rc store_reminder(const struct ia_native_call *c, struct ia_reminder row)
{
    struct ia_reminders *r = ia_reminders_of(c->p);
    const json_t *completed = json_object_get(c->args, "completed");
    int64_t due = 0;
    bool day;
    if (ia_native_has(c, "list")) {
        const struct ia_reminder_list *list = list_named(r, ia_native_text(c, "list"));
        if (!list) {
            return no_list(c);
        }
        row.list = list->id;
    }
    if (row.id == 0 && r->count == IA_REMINDERS_MAX) {
        return ia_err_set(c->err, IA_E_LIMIT, "there is room for %d reminders",
                          IA_REMINDERS_MAX);
    }
    if (!c->w) {
        return IA_OK;
    }
    char *title = ia_strdup(ia_native_has(c, "title") ? ia_native_text(c, "title") : row.title);
    char *notes = ia_strdup(ia_native_has(c, "notes") ? ia_native_text(c, "notes") : row.notes);
    row.title = title;
    row.notes = notes;
    row.due = ia_native_when(c, "due", &due, &day) ? (int32_t)(due / DAY_MS) : row.due;
    row.done = completed ? json_is_true(completed) : row.done;
    int32_t id = row.id ? row.id : r->next_id;
    (void)ia_reminders_put(r, &row);
    free(title);
    free(notes);
    ia_jsonw_key(c->w, "reminder");
    ia_jsonw_object(c->w);
    put_reminder(c, ia_reminders_find(r, id));
    return IA_OK;
}

enum ia_rc ia_native_reminder_create(struct ia_native_call *c)
{
    return store_reminder(c,
                          (struct ia_reminder){.list = ia_reminders_of_const(c->p)->lists[0].id,
                                               .title = text_of(""),
                                               .notes = text_of("")});
}

enum ia_rc ia_native_reminder_update(struct ia_native_call *c)
{
    const struct ia_reminder *row = ia_reminders_find(ia_reminders_of(c->p), ia_native_id(c));
    return row && !row->hidden
               ? store_reminder(c, *row)
               : ia_native_missing(c, "reminder with the id", ia_native_text(c, "id"));
}

enum ia_rc ia_native_reminder_add_list(struct ia_native_call *c)
{
    struct ia_reminders *r = ia_reminders_of(c->p);
    const char *name = ia_native_text(c, "name");
    if (list_named(r, name)) {
        return ia_err_set(c->err, IA_E_EXISTS, "there is a list \"%.100s\"", name);
    }
    if (r->list_count == IA_REMINDER_LISTS_MAX) {
        return ia_err_set(c->err, IA_E_LIMIT, "there is room for %d lists",
                          IA_REMINDER_LISTS_MAX);
    }
    if (c->w) {
        (void)ia_reminders_add_list(r, name);
        ia_jsonw_kv(c->w, "list", r->lists[r->list_count - 1].name);
    }
    return IA_OK;
}
