/* schedule_json.c: a schedule in words and as JSON; secrets in notification URLs are left out. */
#include "app/schedule_json.h"

#include "base/urlquery.h"
#include "base/zone.h"
#include "json/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ia_schedule_state(const struct ia_schedule_row *row)
{
    if (row->problem) {
        return "retired";
    }
    if (row->paused) {
        return "paused";
    }
    return row->next_ms == 0 ? "done" : "active";
}

/* ---- for people -------------------------------------------------------------------------- */

static void say_interval(struct ia_buf *out, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        char letter;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    for (size_t i = 0; i < IA_COUNTOF(units); i++) {
        if (seconds >= units[i].seconds) {
            ia_buf_printf(out, "%" PRId64 "%c", seconds / units[i].seconds, units[i].letter);
            seconds %= units[i].seconds;
        }
    }
}

void ia_schedule_say_when(struct ia_buf *out, const struct ia_schedule_row *row)
{
    if (row->kind == IA_SCHEDULE_EVERY) {
        ia_buf_puts(out, "every ");
        say_interval(out, strtoll(row->spec, NULL, 10));
    } else {
        ia_buf_printf(out, "%s%s", row->kind == IA_SCHEDULE_AT ? "at " : "", row->spec);
    }
}

void ia_schedule_say_time(struct ia_buf *out, int64_t ms, const char *zone)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    struct ia_zone *z = NULL;
    if (ms == 0) {
        ia_buf_putc(out, '-');
        return;
    }
    bool local = ia_zone_open(zone, &z, NULL) == IA_OK;
    struct ia_civil c = local ? ia_zone_civil(z, ms) : ia_civil_at(ms);
    ia_buf_printf(out, "%s %04d-%02d-%02d %02d:%02d%s", days[c.weekday], c.year, c.month, c.day,
                  c.hour, c.minute, local ? "" : " UTC");
    ia_zone_free(z);
}

void ia_schedule_say_notify(struct ia_buf *out, const char *notify)
{
    json_t *j = notify ? json_loads(notify, 0, NULL) : NULL;
    const char *command = json_string_value(json_object_get(j, "command"));
    const char *url = json_string_value(json_object_get(j, "url"));
    if (command) {
        ia_buf_puts(out, command);
    } else if (url) {
        ia_url_server(out, url);
    }
    json_decref(j);
}

/* ---- for programs ------------------------------------------------------------------------ */

static void kv_time(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ms, iso);
    ia_jsonw_kv(w, key, ms == 0 ? NULL : iso);
}

static void kv_notify(struct ia_jsonw *w, const char *notify)
{
    struct ia_buf shown = IA_BUF(8192);
    ia_schedule_say_notify(&shown, notify);
    ia_jsonw_kv(w, "notify", notify ? ia_buf_cstr(&shown) : NULL);
    ia_buf_fini(&shown);
}

void ia_schedule_json(struct ia_jsonw *w, const struct ia_schedule_row *row)
{
    ia_jsonw_kv(w, "name", row->name);
    ia_jsonw_kv(w, "state", ia_schedule_state(row));
    ia_jsonw_kv(w, "kind", ia_schedule_kind_name(row->kind));
    ia_jsonw_kv(w, "spec", row->spec);
    ia_jsonw_kv(w, "tz", row->zone);
    kv_time(w, "next", row->problem ? 0 : row->next_ms);
    ia_jsonw_kv(w, "missed", ia_missed_name(row->missed));
    ia_jsonw_kv(w, "overlap", ia_overlap_name(row->overlap));
    ia_jsonw_kv_int(w, "grace_s", row->grace_s);
    ia_jsonw_kv(w, "if", row->precheck);
    kv_notify(w, row->notify);
    ia_jsonw_kv_bool(w, "paused", row->paused);
    ia_jsonw_kv(w, "device", row->lane);
    ia_jsonw_kv(w, "last_verdict", row->last_verdict);
    ia_jsonw_kv(w, "problem", row->problem);
    kv_time(w, "created", row->created_ms);
    kv_time(w, "updated", row->updated_ms);
    ia_jsonw_key(w, "run");
    ia_json_put(w, ia_str(row->run));
}

void ia_fire_json(struct ia_jsonw *w, const struct ia_fire_row *row)
{
    ia_jsonw_object(w);
    kv_time(w, "scheduled", row->scheduled_ms);
    kv_time(w, "fired", row->fired_ms);
    ia_jsonw_kv(w, "state", row->run_id ? ia_run_state_name(row->run_state) : "skipped");
    ia_jsonw_kv(w, "reason", row->reason);
    ia_jsonw_kv(w, "run", row->run_id);
    ia_jsonw_kv(w, "code", row->run_code);
    ia_jsonw_kv(w, "outcome", row->run_outcome);
    kv_time(w, "finished", row->run_finished_ms);
    ia_jsonw_kv_known(w, "cost_usd", row->cost_usd, row->run_id && row->cost_known);
    ia_jsonw_end_object(w);
}
