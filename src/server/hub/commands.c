/* commands.c: a ring of commands, each kept from its begin on. One that ends after 500 others began is
 * not told of any more. */
#include "server/hub/commands.h"

#include "base/utf8.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_BYTES_MAX = 32 << 10 };

struct command {
    int64_t n, at_ms, began_us, ms;
    char *device, *verb, *actor, *args;
    char *text, *element; /* NULL until it is done, and where there is none */
    enum ia_rc code;
    bool done;
};

struct ia_commands {
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    int64_t last; /* the number that was given last */
    struct command ring[IA_COMMANDS_KEPT];
    ia_commands_fn *listener;
    void *ctx;
};

struct ia_commands *ia_commands_new(const struct ia_clock *clock)
{
    struct ia_commands *c = ia_calloc(1, sizeof(*c));
    c->clock = clock ? clock : ia_clock_system();
    pthread_mutex_init(&c->mutex, NULL);
    return c;
}

static void forget(struct command *e)
{
    char *texts[] = {e->device, e->verb, e->actor, e->args, e->text, e->element};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        free(texts[i]);
    }
    *e = (struct command){.n = 0};
}

void ia_commands_free(struct ia_commands *c)
{
    if (c) {
        for (size_t i = 0; i < IA_COMMANDS_KEPT; i++) {
            forget(&c->ring[i]);
        }
        pthread_mutex_destroy(&c->mutex);
        free(c);
    }
}

void ia_commands_listen(struct ia_commands *c, ia_commands_fn *fn, void *ctx)
{
    c->listener = fn;
    c->ctx = ctx;
}

static void put(struct ia_jsonw *w, const struct command *e)
{
    char at[IA_ISO_SIZE];
    ia_iso_format(e->at_ms, at);
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "n", e->n);
    ia_jsonw_kv(w, "at", at);
    ia_jsonw_kv(w, "device", e->device);
    ia_jsonw_kv(w, "verb", e->verb);
    ia_jsonw_key(w, "args");
    ia_jsonw_raw(w, ia_str(e->args));
    ia_jsonw_kv(w, "actor", e->actor);
    ia_jsonw_kv(w, "state", e->done ? "done" : "started");
    ia_jsonw_key(w, "ms");
    if (e->done) {
        ia_jsonw_int(w, e->ms);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_kv(w, "code", e->done ? ia_rc_name(e->code) : NULL);
    ia_jsonw_kv(w, "text", e->text);
    ia_jsonw_kv(w, "element", e->element);
    ia_jsonw_end_object(w);
}

static void tell(const struct ia_commands *c, const struct command *e)
{
    struct ia_buf json = IA_BUF(JSON_BYTES_MAX);
    struct ia_jsonw w;
    if (c->listener) {
        ia_jsonw_init(&w, &json);
        put(&w, e);
        c->listener(c->ctx, e->device, ia_buf_str(&json));
    }
    ia_buf_fini(&json);
}

/* Arguments that are too long for here are left out, not cut: they are JSON. */
static char *keep_args(struct ia_str args)
{
    bool fits = args.n > 0 && args.n <= IA_COMMAND_TEXT_BYTES_MAX;
    return fits ? ia_strndup(args.p, args.n) : ia_strdup("{}");
}

static char *keep_text(struct ia_str text)
{
    size_t n = text.n <= IA_COMMAND_TEXT_BYTES_MAX
                   ? text.n
                   : ia_utf8_cut(text.p, IA_COMMAND_TEXT_BYTES_MAX);
    return n > 0 ? ia_strndup(text.p, n) : NULL;
}

static struct command *place_of(struct ia_commands *c, int64_t n)
{
    return &c->ring[n % IA_COMMANDS_KEPT];
}

int64_t ia_commands_begin(struct ia_commands *c, const struct ia_command_begin *begin)
{
    pthread_mutex_lock(&c->mutex);
    int64_t n = ++c->last;
    struct command *e = place_of(c, n);
    forget(e);
    *e = (struct command){.n = n,
                          .at_ms = ia_wall_ms(c->clock),
                          .began_us = ia_mono_us(c->clock),
                          .device = ia_strdup(begin->device),
                          .verb = ia_strdup(begin->verb),
                          .actor = ia_strdup(begin->actor),
                          .args = keep_args(begin->args)};
    tell(c, e);
    pthread_mutex_unlock(&c->mutex);
    return n;
}

void ia_commands_end(struct ia_commands *c, int64_t n, const struct ia_command_end *end)
{
    pthread_mutex_lock(&c->mutex);
    struct command *e = place_of(c, n);
    if (e->n == n) {
        e->done = true;
        e->code = end->code;
        e->ms = (ia_mono_us(c->clock) - e->began_us) / 1000;
        e->text = keep_text(end->text);
        e->element = end->element ? keep_text(ia_str(end->element)) : NULL;
        if (end->args.n > 0) {
            free(e->args);
            e->args = keep_args(end->args);
        }
        tell(c, e);
    }
    pthread_mutex_unlock(&c->mutex);
}

void ia_commands_list(struct ia_commands *c, const char *device, int limit, struct ia_jsonw *w)
{
    pthread_mutex_lock(&c->mutex);
    ia_jsonw_array(w);
    for (int64_t n = c->last; n > 0 && limit > 0; n--) {
        const struct command *e = place_of(c, n);
        if (e->n != n) {
            break;
        }
        if (!device || strcmp(device, e->device) == 0) {
            put(w, e);
            limit--;
        }
    }
    ia_jsonw_end_array(w);
    pthread_mutex_unlock(&c->mutex);
}
