/* subtasks.c: verdicts of subtasks, from their rows. The program that judged the run wrote the row, so its
 * state and basis are facts. Its summary is what an agent says of itself, and is no proof. */
#include "agent/verdict/subtasks.h"

#include "base/jsonw.h"
#include "base/utf8.h"
#include "store/children.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { GOAL_BYTES = 300, QUOTE_BYTES = 300, QUOTES_MAX = 16 };

/* ---- the rule ---------------------------------------------------------------------------- */

bool ia_subtask_proven(enum ia_run_state state, enum ia_basis basis)
{
    return state == IA_RUN_PASSED &&
           (basis == IA_BASIS_EXPECTATIONS || basis == IA_BASIS_VERIFIER ||
            basis == IA_BASIS_BOTH || basis == IA_BASIS_PICTURE);
}

/* Whether it is proven, or one after it that does it again is. A number that is not smaller names
 * nothing, so this ends. */
static bool settled(const struct ia_subtask *items, size_t count, size_t i)
{
    bool ok = ia_subtask_proven(items[i].state, items[i].basis);
    for (size_t k = i + 1; !ok && k < count; k++) {
        ok = items[k].redoes == (int)i + 1 && settled(items, count, k);
    }
    return ok;
}

size_t ia_subtasks_open(const struct ia_subtask *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!settled(items, count, i)) {
            return i + 1;
        }
    }
    return 0;
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool take_child(void *ctx, const struct ia_run_row *row)
{
    struct ia_subtasks *all = ctx;
    all->items = ia_realloc(all->items, all->count + 1, sizeof(*all->items));
    struct ia_subtask *s = &all->items[all->count++];
    *s = (struct ia_subtask){.state = row->state,
                             .basis = ia_basis_from_name(ia_str(row->basis)),
                             .call = ia_strdup(row->parent_call),
                             .agent = ia_strdup(row->agent),
                             .lane = ia_strdup(row->lane),
                             .goal = ia_strdup(row->goal),
                             .code = row->code ? ia_strdup(row->code) : NULL,
                             .summary = ia_strdup(row->summary ? row->summary : "")};
    (void)snprintf(s->id, sizeof(s->id), "%s", row->id);
    s->result = row->result ? json_loads(row->result, JSON_ALLOW_NUL, NULL) : NULL;
    return true;
}

static bool take_call(void *ctx, const struct ia_call_row *row)
{
    const struct ia_subtasks *all = ctx;
    for (size_t i = 0; strcmp(row->name, IA_DELEGATE) == 0 && i < all->count; i++) {
        if (strcmp(all->items[i].call, row->tool_use_id) == 0) {
            json_t *input = json_loadb(row->input.p, row->input.n, JSON_ALLOW_NUL, NULL);
            all->items[i].redoes = (int)json_integer_value(json_object_get(input, "redoes"));
            json_decref(input);
        }
    }
    return true;
}

enum ia_rc ia_subtasks_read(struct ia_store *store, const char *run_id, struct ia_subtasks *ret,
                            struct ia_err *err)
{
    *ret = (struct ia_subtasks){.count = 0};
    enum ia_rc rc = ia_store_children(store, run_id, take_child, ret, err);
    return rc == IA_OK && ret->count > 0 ? ia_store_calls(store, run_id, take_call, ret, err)
                                         : rc;
}

void ia_subtasks_fini(struct ia_subtasks *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].call);
        free(s->items[i].agent);
        free(s->items[i].lane);
        free(s->items[i].goal);
        free(s->items[i].code);
        free(s->items[i].summary);
        json_decref(s->items[i].result);
    }
    free(s->items);
    *s = (struct ia_subtasks){.count = 0};
}

/* ---- what was proven --------------------------------------------------------------------- */

/* `1 text "…"`: a line of a screen, whatever is in it. */
static void put_line(struct ia_buf *out, int no, const char *role, struct ia_str text)
{
    size_t n = text.n > QUOTE_BYTES ? ia_utf8_cut(text.p, QUOTE_BYTES) : text.n;
    ia_buf_printf(out, "%d %s \"", no, role);
    for (size_t i = 0; i < n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\') {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
    }
    ia_buf_puts(out, "\"\n");
}

/* A quote may have several lines, each of which was shown. */
static void put_quote(struct ia_buf *out, int *no, const json_t *quote)
{
    struct ia_str rest = ia_json_str(quote), line;
    while (rest.n > 0 && ia_str_line(&rest, &line)) {
        if (line.n > 0 && *no <= QUOTES_MAX) {
            put_line(out, (*no)++, "text", line);
        }
    }
}

void ia_subtask_proof(const struct ia_subtask *s, struct ia_buf *out)
{
    size_t i;
    json_t *item;
    int no = 1;
    if (!ia_subtask_proven(s->state, s->basis)) {
        return;
    }
    /* Where the first line would be the header of a screen. */
    ia_buf_puts(out, "subtask\n");
    json_array_foreach(json_object_get(s->result, "evidence"), i, item)
    {
        if (!json_is_true(json_object_get(item, "unproven"))) {
            put_quote(out, &no, json_object_get(item, "quote"));
        }
    }
}

static void put_expects(const struct ia_subtask *s, struct ia_buf *out)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(s->result, "expects"), i, item)
    {
        bool held = json_is_true(json_object_get(item, "held"));
        put_line(out, (int)i + 1, held ? "expectation:holds" : "expectation:fails",
                 ia_json_str(json_object_get(item, "expect")));
    }
}

void ia_subtasks_put(const struct ia_subtasks *all, struct ia_buf *out)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct ia_subtask *s = &all->items[i];
        struct ia_str goal = ia_str(s->goal);
        goal.n = goal.n > GOAL_BYTES ? ia_utf8_cut(goal.p, GOAL_BYTES) : goal.n;
        ia_buf_printf(out, "subtask %zu by %s on %s: %s (%s)", i + 1, s->agent, s->lane,
                      ia_run_state_name(s->state),
                      s->basis == IA_BASIS_NONE ? "nothing proves it"
                                                : ia_basis_words(s->basis));
        if (s->redoes > 0) {
            ia_buf_printf(out, ", does subtask %d again", s->redoes);
        }
        ia_buf_putc(out, '\n');
        put_line(out, 0, "asked", goal);
        put_expects(s, out);
        ia_subtask_proof(s, out);
    }
}
