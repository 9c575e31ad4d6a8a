/* bugs.c: sets of planted bugs as text and as JSON, by the table IA_BUG_LIST. */
#include "driver/embedded/fault/bugs.h"

#include "base/suggest.h"

#include <string.h>

static const struct {
    const char *word, *what;
} bugs[IA_BUG_COUNT] = {
#define ROW(name, word, what) [name] = {word, what},
    IA_BUG_LIST(ROW)
#undef ROW
};

const char *ia_bug_word(enum ia_bug bug)
{
    return bugs[bug].word;
}

const char *ia_bug_what(enum ia_bug bug)
{
    return bugs[bug].what;
}

static enum ia_rc unknown(struct ia_str word, struct ia_err *err)
{
    const char *words[IA_BUG_COUNT];
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        words[i] = bugs[i].word;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no planted bug is named \"%.*s\"",
                               (int)(word.n < 40 ? word.n : 40), word.p);
    const char *near = ia_nearest(word, words, IA_BUG_COUNT);
    if (near) {
        ia_err_hint(err, "did you mean \"%s\"?", near);
    } else {
        ia_err_hint(err,
                    "`ios-agent embedded bugs` lists them; \"all\" and \"none\" also work");
    }
    return rc;
}

static enum ia_rc add_word(struct ia_str word, uint32_t *set, struct ia_err *err)
{
    if (ia_str_is(word, "all")) {
        *set = (UINT32_C(1) << IA_BUG_COUNT) - 1;
        return IA_OK;
    }
    if (ia_str_is(word, "none")) {
        return IA_OK;
    }
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        if (ia_str_is(word, bugs[i].word)) {
            *set |= UINT32_C(1) << i;
            return IA_OK;
        }
    }
    return unknown(word, err);
}

enum ia_rc ia_bugs_parse(struct ia_str list, uint32_t *ret, struct ia_err *err)
{
    uint32_t set = 0;
    enum ia_rc rc = IA_OK;
    for (size_t at = 0; rc == IA_OK && at <= list.n;) {
        size_t end = at;
        while (end < list.n && list.p[end] != ',') {
            end++;
        }
        rc = add_word((struct ia_str){list.p + at, end - at}, &set, err);
        at = end + 1;
    }
    if (rc == IA_OK) {
        *ret = set;
    }
    return rc;
}

void ia_bugs_write(uint32_t set, struct ia_buf *out)
{
    bool any = false;
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        if (set >> i & 1) {
            ia_buf_printf(out, "%s%s", any ? "," : "", bugs[i].word);
            any = true;
        }
    }
    ia_buf_puts(out, any ? "" : "none");
}

void ia_bugs_json(uint32_t set, struct ia_jsonw *w)
{
    ia_jsonw_array(w);
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        if (set >> i & 1) {
            ia_jsonw_string(w, bugs[i].word);
        }
    }
    ia_jsonw_end_array(w);
}
