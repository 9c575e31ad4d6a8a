/* acts.c: the list of what is to be done, and keys as entries of it. */
#include "server/wda/actions/acts.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct ia_wda_act *ia_wda_acts_add(struct ia_wda_acts *acts, enum ia_wda_act_kind kind,
                                   int at_ms)
{
    acts->at = ia_grow(acts->at, acts->n, sizeof(*acts->at));
    struct ia_wda_act *act = &acts->at[acts->n++];
    *act = (struct ia_wda_act){.kind = kind, .at_ms = at_ms};
    return act;
}

void ia_wda_acts_free(struct ia_wda_acts *acts)
{
    for (size_t i = 0; i < acts->n; i++) {
        free(acts->at[i].text);
    }
    free(acts->at);
    *acts = (struct ia_wda_acts){0};
}

enum { KEY_NONE = 0, KEY_DELETE = 8, KEY_FIRST = 0xE000, KEY_LAST = 0xE05D };

/* What a key types: WebDriver's "keyboard actions", as FBW3CActionsHelpers.m maps them. */
static uint32_t typed(uint32_t key)
{
    static const struct {
        uint32_t key, is;
    } keys[] = {
        {'\r', '\n'},         {'\b', KEY_DELETE},   {0x7F, KEY_DELETE}, {0x1B, KEY_NONE},
        {0xE003, KEY_DELETE}, {0xE004, '\t'},       {0xE006, '\n'},     {0xE007, '\n'},
        {0xE00D, ' '},        {0xE017, KEY_DELETE}, {0xE018, ';'},      {0xE019, '='},
        {0xE024, '*'},        {0xE025, '+'},        {0xE026, ','},      {0xE027, '-'},
        {0xE028, '.'},        {0xE029, '/'},        {0xE05D, ' '},
    };
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        if (keys[i].key == key) {
            return keys[i].is;
        }
    }
    if (key >= 0xE01A && key <= 0xE023) {
        return '0' + key - 0xE01A;
    }
    return key >= KEY_FIRST && key <= KEY_LAST ? KEY_NONE : key;
}

static void flush(struct ia_wda_acts *acts, struct ia_buf *run, int at_ms)
{
    if (run->len > 0) {
        ia_wda_acts_add(acts, IA_WDA_ACT_TYPE, at_ms)->text = ia_buf_steal(run);
    }
}

static void delete_one(struct ia_wda_acts *acts, size_t first, int at_ms)
{
    struct ia_wda_act *last = acts->n > first ? &acts->at[acts->n - 1] : NULL;
    bool on = last && last->kind == IA_WDA_ACT_DELETE;
    (on ? last : ia_wda_acts_add(acts, IA_WDA_ACT_DELETE, at_ms))->count++;
}

void ia_wda_acts_type(struct ia_wda_acts *acts, struct ia_str text, int at_ms)
{
    struct ia_buf run = IA_BUF(text.n * 4 + 1);
    size_t first = acts->n;
    for (size_t i = 0, n = 1; i < text.n; i += n) {
        n = ia_utf8_valid_len(text.p + i, text.n - i);
        uint32_t is = n ? typed(ia_utf8_decode(text.p + i, n)) : KEY_NONE;
        n = n ? n : 1;
        if (is == KEY_DELETE) {
            flush(acts, &run, at_ms);
            delete_one(acts, first, at_ms);
        } else if (is != KEY_NONE) {
            char bytes[4];
            ia_buf_put(&run, bytes, ia_utf8_encode(is, bytes));
        }
    }
    flush(acts, &run, at_ms);
    ia_buf_fini(&run);
}
