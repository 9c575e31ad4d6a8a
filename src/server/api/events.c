/* events.c: GET /v1/events: what happens, as one stream of server-sent events.
 *
 * The table of events is the stream: `id:` is the row's, so a client that comes back with the last one
 * it saw goes on where it was, and a list's `as_of` is where to begin. Rows are read when the socket
 * takes bytes, so a slow reader holds its own thread and no memory. Each stream polls for commits of
 * anybody (store/watch.h) over one connection that all streams share, and only while there is one.
 *
 *   replay ─► caught up ─► wait POLL_MS ─► newest grew? ─► read ─► …
 *   after > newest, or too much to replay: event "reset", then from the newest on
 *
 * What has no row has no id, and so never moves a client's place: "now" each 30 s, a comment each 15 s,
 * so that whoever is gone is noticed, and with live=1 what is only told (live.h), each in its place
 * among the rows by when it was. Source: html.spec.whatwg.org, section 9.2, 2026-11. */
#include "events/events.h"

#include "server/api/feed.h"
#include "server/api/handlers.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLAY_MAX = 10000,
    BYTES_AT_ONCE = 8 << 10,
    ROWS_AT_ONCE = 200,
    POLL_US = 100000,
    LIVE_POLL_US = 30000,
    COMMENT_US = 15000000,
    NOW_US = 30000000,
    LANE_BYTES_MAX = 256
};

#define COMMAND "command"

struct stream {
    struct ia_api *api;
    struct ia_feed *feed;
    char run_id[IA_ID_SIZE];
    char lane[LANE_BYTES_MAX];
    bool types[IA_EVENT_COUNT + 1], all_types; /* the last: commands */
    int64_t after, sent;  /* the newest event that was read, and whose id the client knows */
    struct ia_live *live; /* NULL: it does not want it */
    uint64_t live_after;
    bool begun, reset;
    int64_t comment_us, now_us; /* when the next one is due */
};

/* ---- what is wanted ---------------------------------------------------------------------- */

static enum ia_rc read_types(struct stream *s, const char *list, struct ia_err *err)
{
    char name[64];
    s->all_types = list == NULL;
    while (list && *list != '\0') {
        size_t n = strcspn(list, ",");
        enum ia_event_type type = IA_EVENT_COUNT;
        if (n > 0 && n < sizeof(name)) {
            memcpy(name, list, n);
            name[n] = '\0';
            type = ia_event_from_name(name);
        }
        bool command = n == sizeof(COMMAND) - 1 && strncmp(list, COMMAND, n) == 0;
        if (type == IA_EVENT_COUNT && !command) {
            return ia_err_set(err, IA_E_USAGE, "there is no event \"%.*s\"",
                              n < 64 ? (int)n : 64, list);
        }
        s->types[type] = true;
        list += n + (list[n] == ',');
    }
    return IA_OK;
}

/* A client that comes back says in a header where it was; a page that was loaded just now, in the
 * query. -1: from now on. */
static enum ia_rc read_after(const struct ia_api_call *call, int64_t *ret, struct ia_err *err)
{
    int64_t after = ia_args_int(&call->query, "after", -1);
    return ia_api_header_int(call, "Last-Event-ID", 0, INT64_MAX, after, ret, err);
}

static enum ia_rc read_place(struct stream *s, const struct ia_api_call *call,
                             struct ia_err *err)
{
    const char *run = ia_args_text(&call->query, "run");
    const char *device = ia_args_text(&call->query, "device");
    struct ia_run_row *row = NULL;
    if (run && device) {
        return ia_err_set(err, IA_E_USAGE, "give run or device, not both");
    }
    if (device && strlen(device) >= sizeof(s->lane)) {
        return ia_err_set(err, IA_E_USAGE, "the name of the device is too long");
    }
    if (device) {
        memcpy(s->lane, device, strlen(device) + 1);
    }
    enum ia_rc rc = run ? ia_store_run(call->api->opts.setup->store, run, &row, err) : IA_OK;
    if (row) {
        memcpy(s->run_id, row->id, strnlen(row->id, sizeof(s->run_id) - 1));
    }
    ia_run_row_free(row);
    return rc;
}

static struct ia_event_range range_of(const struct stream *s, int limit)
{
    return (struct ia_event_range){.run_id = s->run_id[0] != '\0' ? s->run_id : NULL,
                                   .lane = s->lane[0] != '\0' ? s->lane : NULL,
                                   .after_id = s->after,
                                   .limit = limit};
}

/* Where to begin: after what the client has, or anew. */
static enum ia_rc find_start(struct stream *s, int64_t after, struct ia_err *err)
{
    int64_t newest = 0, asked_us;
    int count = 0;
    enum ia_rc rc = ia_feed_newest(s->feed, &newest, &asked_us, err);
    if (rc != IA_OK) {
        return rc;
    }
    s->after = after >= 0 ? after : newest;
    if (after > newest) { /* of another database */
        s->reset = true;
    } else if (newest - s->after > REPLAY_MAX) {
        const struct ia_event_range range = range_of(s, REPLAY_MAX + 1);
        rc = ia_store_events_count(s->api->opts.setup->store, &range, &count, err);
        s->reset = count > REPLAY_MAX;
    }
    s->after = s->reset ? newest : s->after;
    s->sent = s->after;
    return rc;
}

/* ---- what is sent ------------------------------------------------------------------------ */

struct batch {
    struct stream *s;
    struct ia_buf *out;
    int64_t until_ms, until_us; /* of what is only told: what was before that */
};

static bool wants(const struct stream *s, enum ia_event_type type)
{
    return s->all_types || s->types[type];
}

static bool on_live(void *ctx, const struct ia_live_row *row)
{
    struct batch *b = ctx;
    const struct stream *s = b->s;
    if (row->at_ms > b->until_ms || row->at_us > b->until_us ||
        b->out->len + row->json.n > BYTES_AT_ONCE + IA_LIVE_ROW_BYTES_MAX) {
        return false;
    }
    bool here = s->run_id[0] != '\0' ? strcmp(s->run_id, row->run) == 0
                : s->lane[0] != '\0' ? strcmp(s->lane, row->lane) == 0
                                     : true;
    if (here && wants(s, row->type)) {
        ia_buf_printf(b->out, "event: %s\ndata: ",
                      row->type == IA_LIVE_COMMAND ? COMMAND : ia_event_name(row->type));
        ia_buf_putstr(b->out, row->json);
        ia_buf_puts(b->out, "\n\n");
    }
    return true;
}

/* What was told before that time, and before the store was asked for what it has. */
static void put_live(struct batch *b, int64_t until_ms)
{
    if (b->s->live) {
        b->until_ms = until_ms;
        ia_live_read(b->s->live, &b->s->live_after, on_live, b);
    }
}

static void put_event(struct ia_buf *out, const struct ia_event_row *row)
{
    const char *name = row->type < IA_EVENT_COUNT ? ia_event_name(row->type) : "other";
    ia_buf_printf(out, "id: %" PRId64 "\nevent: %s\ndata: ", row->id, name);
    ia_buf_putstr(out, row->json);
    ia_buf_puts(out, "\n\n");
}

static bool on_event(void *ctx, const struct ia_event_row *row)
{
    struct batch *b = ctx;
    struct stream *s = b->s;
    put_live(b, row->ts_ms);
    if (s->all_types || (row->type < IA_EVENT_COUNT && s->types[row->type])) {
        put_event(b->out, row);
        s->sent = row->id;
    }
    s->after = row->id;
    return b->out->len < BYTES_AT_ONCE;
}

/* Reads on until there is something to send. False: nothing new is there. */
static bool put_events(struct stream *s, int64_t newest, int64_t asked_us, struct ia_buf *out)
{
    struct ia_err ignored;
    struct batch b = {.s = s, .out = out, .until_us = asked_us};
    while (s->after < newest && out->len == 0) {
        int64_t before = s->after;
        const struct ia_event_range range = range_of(s, ROWS_AT_ONCE);
        if (ia_store_events(s->api->opts.setup->store, &range, on_event, &b, NULL, &ignored) !=
            IA_OK) {
            return out->len > 0; /* what is locked now is read with the next poll */
        }
        if (s->after == before) { /* the rest is of others */
            s->after = newest;
        }
    }
    if (s->after >= newest) {
        put_live(&b, INT64_MAX);
    }
    return out->len > 0;
}

static void put_reset(struct stream *s, struct ia_buf *out)
{
    ia_buf_printf(out, "id: %" PRId64 "\nevent: reset\ndata: {\"newest\":%" PRId64 "}\n\n",
                  s->after, s->after);
    s->reset = false;
}

static bool count_run(void *ctx, const struct ia_run_row *row)
{
    int *counts = ctx;
    counts[row->state == IA_RUN_RUNNING || row->state == IA_RUN_CLAIMED]++;
    return true;
}

static void put_now(struct stream *s, int64_t newest, struct ia_buf *out)
{
    const struct ia_run_filter filter = {.state = "unfinished", .limit = IA_RUN_LIST_MAX};
    struct ia_err ignored;
    int counts[2] = {0, 0};
    (void)ia_store_runs(s->api->opts.setup->store, &filter, count_run, counts, &ignored);
    ia_buf_printf(out,
                  "event: now\ndata: {\"newest\":%" PRId64
                  ",\"waiting\":%d,\"running\":%d,\"commands\":%d}\n\n",
                  newest, counts[0], counts[1], ia_hub_busy(s->api->opts.hub));
}

/* What a filter let through long ago is where the client would come back to: an id alone moves its
 * place and tells it nothing else. */
static void put_idle(struct stream *s, int64_t now_us, int64_t newest, struct ia_buf *out)
{
    if (now_us >= s->now_us) {
        put_now(s, newest, out);
        s->now_us = now_us + NOW_US;
    }
    if (now_us >= s->comment_us) {
        ia_buf_puts(out, ":\n\n");
        s->comment_us = now_us + COMMENT_US;
        if (s->sent < s->after) {
            ia_buf_printf(out, "id: %" PRId64 "\n\n", s->after);
            s->sent = s->after;
        }
    }
}

static bool next(void *ctx, struct ia_http_stream *http, struct ia_buf *out)
{
    struct stream *s = ctx;
    struct ia_err ignored;
    int64_t newest = s->after, asked_us = INT64_MIN;
    int64_t now_us = ia_mono_us(s->api->clock);
    if (!s->begun) {
        ia_buf_puts(out, "retry: 1000\n\n");
        s->begun = true;
        s->comment_us = now_us + COMMENT_US;
        s->now_us = now_us;
    }
    if (s->reset) {
        put_reset(s, out);
    }
    (void)ia_feed_newest(s->feed, &newest, &asked_us, &ignored);
    if (out->len == 0 && !put_events(s, newest, asked_us, out)) {
        put_idle(s, now_us, newest, out);
    }
    int64_t poll_us = s->live ? LIVE_POLL_US : POLL_US;
    return out->len > 0 || ia_http_stream_wait(http, ia_mono_us(s->api->clock) + poll_us);
}

static void done(void *ctx)
{
    struct stream *s = ctx;
    ia_feed_leave(s->feed);
    if (s->live) {
        ia_live_leave(s->live);
    }
    free(s);
}

enum ia_rc ia_api_events(struct ia_api_call *call, struct ia_err *err)
{
    static const struct ia_http_stream_ops ops = {.next = next, .done = done};
    struct stream *s = ia_calloc(1, sizeof(*s));
    int64_t after = -1;
    s->api = call->api;
    enum ia_rc rc = read_after(call, &after, err);
    if (rc == IA_OK) {
        rc = read_types(s, ia_args_text(&call->query, "types"), err);
    }
    if (rc == IA_OK) {
        rc = read_place(s, call, err);
    }
    if (rc == IA_OK) {
        rc = ia_feed_enter(call->api->feed, err);
        s->feed = rc == IA_OK ? call->api->feed : NULL;
    }
    if (rc == IA_OK && ia_args_has(&call->query, "live") && s->api->opts.live) {
        s->live = s->api->opts.live;
        ia_live_enter(s->live, &s->live_after);
    }
    if (rc == IA_OK) {
        rc = find_start(s, after, err);
    }
    if (rc != IA_OK) {
        done(s);
        return rc;
    }
    ia_http_reply_header(call->reply, "Cache-Control", "no-store");
    ia_http_reply_header(call->reply, "X-Accel-Buffering", "no");
    call->reply->content_type = "text/event-stream";
    call->reply->stream = &ops;
    call->reply->stream_ctx = s;
    call->answered = true;
    return IA_OK;
}
