/* knobs.c: parses the part after "?" of a device name or an embedded: link, as knobs.h states.
 *
 *   query   knob { "&" knob }
 *   knob    "bugs=" list │ "changes=" list │ "faults=" fault { "," fault } │ "seed=" number
 *           │ "ids=" ( "sdk" │ "bare" ) { "," … } │ "tree=" ( "on" │ "off" )
 *           │ "link=" name { "," name }
 *   fault   word [ "@" N [ "+" ] │ "%" P ] [ ":" VALUE ]     at the Nth call, every N, P percent
 *
 * All or nothing: the result is written only when every knob was understood. */
#include "driver/embedded/fault/knobs.h"

#include "base/suggest.h"
#include "driver/embedded/fault/bugs.h"
#include "driver/embedded/fault/impl.h"

static const struct {
    const char *word, *what;
    bool reads;
    int32_t value;
} faults[IA_FAULT_COUNT] = {
#define ROW(name, word, what, reads, value) [name] = {word, what, reads, value},
    IA_FAULT_LIST(ROW)
#undef ROW
};

const char *ia_fault_word(enum ia_fault_kind kind)
{
    return faults[kind].word;
}

const char *ia_fault_what(enum ia_fault_kind kind)
{
    return faults[kind].what;
}

static int shown(struct ia_str s)
{
    return (int)(s.n < 60 ? s.n : 60);
}

/* Digits at *at; false when there are none or too many. */
static bool number(struct ia_str s, size_t *at, uint64_t max, uint64_t *ret)
{
    size_t from = *at;
    uint64_t v = 0;
    while (*at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9') {
        v = v * 10 + (uint64_t)(s.p[*at] - '0');
        if (v > max) {
            return false;
        }
        (*at)++;
    }
    *ret = v;
    return *at > from;
}

static enum ia_rc bad_fault(struct ia_str text, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "\"%.*s\" is not a fault", shown(text), text.p);
    const char *words[IA_FAULT_COUNT];
    for (int i = 0; i < IA_FAULT_COUNT; i++) {
        words[i] = faults[i].word;
    }
    struct ia_str word = {text.p, 0};
    while (word.n < text.n && !strchr("@%:", text.p[word.n])) {
        word.n++;
    }
    const char *near = ia_nearest(word, words, IA_FAULT_COUNT);
    ia_err_hint(err, "a fault is FAULT[@N|@N+|%%P][:VALUE], as in %s",
                near ? near : "popup@5 or slow-tree:300");
    return rc;
}

/* What stands behind the fault's name: "@5+", "%10", ":300". */
static bool read_when(struct ia_str s, size_t at, struct ia_fault *f)
{
    uint64_t v;
    if (at < s.n && s.p[at] == '@') {
        at++;
        if (!number(s, &at, IA_FAULT_AT_MAX, &v) || v == 0) {
            return false;
        }
        f->at = (int32_t)v;
        f->every = at < s.n && s.p[at] == '+';
        at += f->every;
    } else if (at < s.n && s.p[at] == '%') {
        at++;
        if (!number(s, &at, 100, &v) || v == 0) {
            return false;
        }
        f->percent = (uint8_t)v;
    }
    if (at < s.n && s.p[at] == ':') {
        at++;
        if (!number(s, &at, IA_FAULT_VALUE_MAX, &v)) {
            return false;
        }
        f->value = (int32_t)v;
    }
    return at == s.n;
}

static enum ia_rc read_fault(struct ia_str s, struct ia_knobs *k, struct ia_err *err)
{
    for (int i = 0; i < IA_FAULT_COUNT; i++) {
        size_t n = strlen(faults[i].word);
        bool named = s.n >= n && memcmp(s.p, faults[i].word, n) == 0 &&
                     (s.n == n || strchr("@%:", s.p[n]));
        struct ia_fault f = {.kind = (uint8_t)i, .value = faults[i].value};
        if (!named || !read_when(s, n, &f)) {
            continue;
        }
        if (k->fault_count == IA_FAULTS_MAX) {
            return ia_err_set(err, IA_E_USAGE, "a phone takes at most %d faults",
                              IA_FAULTS_MAX);
        }
        k->faults[k->fault_count++] = f;
        return IA_OK;
    }
    return ia_str_is(s, "none") ? IA_OK : bad_fault(s, err);
}

static enum ia_rc read_faults(struct ia_str list, struct ia_knobs *k, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    k->has_faults = true;
    do {
        rc = read_fault(ia_knob_cut(&list, ','), k, err);
    } while (rc == IA_OK && list.n > 0);
    return rc;
}

static enum ia_rc read_seed(struct ia_str s, struct ia_knobs *k, struct ia_err *err)
{
    size_t at = 0;
    if (number(s, &at, UINT64_C(1) << 53, &k->seed) && at == s.n && k->seed != 0) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_USAGE,
                      "\"%.*s\" is not a seed; a seed is a whole number of at least 1",
                      shown(s), s.p);
}

static enum ia_rc read_ids(struct ia_str list, uint8_t *ret, struct ia_err *err)
{
    do {
        struct ia_str word = ia_knob_cut(&list, ',');
        unsigned bit = ia_str_is(word, "sdk")    ? IA_IDS_SDK
                       : ia_str_is(word, "bare") ? IA_IDS_BARE
                                                 : 0;
        if (bit == 0) {
            return ia_err_set(
                err, IA_E_USAGE,
                "ids=%.*s: a simulated phone knows ids=sdk, ids=bare and ids=sdk,bare",
                shown(word), word.p);
        }
        *ret |= (uint8_t)bit;
    } while (list.n > 0);
    return IA_OK;
}

static enum ia_rc read_tree(struct ia_str word, bool *ret_off, struct ia_err *err)
{
    *ret_off = ia_str_is(word, "off");
    return *ret_off || ia_str_is(word, "on")
               ? IA_OK
               : ia_err_set(err, IA_E_USAGE,
                            "tree=%.*s: a simulated phone knows tree=on and tree=off",
                            shown(word), word.p);
}

static enum ia_rc read_knob(struct ia_str part, struct ia_knobs *k, struct ia_err *err)
{
    struct ia_str value = part, key = ia_knob_cut(&value, '=');
    if (ia_str_is(key, "bugs")) {
        k->has_bugs = true;
        return ia_bugs_parse(value, &k->bugs, err);
    }
    if (ia_str_is(key, "changes")) {
        struct ia_changes ignored;
        k->changes = value;
        k->has_changes = true;
        return ia_changes_parse(value, &ignored, err);
    }
    if (ia_str_is(key, "faults")) {
        return read_faults(value, k, err);
    }
    if (ia_str_is(key, "seed")) {
        return read_seed(value, k, err);
    }
    if (ia_str_is(key, "ids")) {
        return read_ids(value, &k->ids, err);
    }
    if (ia_str_is(key, "link")) {
        k->has_link = true;
        return ia_peers_parse(value, &k->link, err);
    }
    if (ia_str_is(key, "tree")) {
        return read_tree(value, &k->no_tree, err);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "a simulated phone has no setting \"%.*s\"",
                               shown(key), key.p);
    ia_err_hint(err,
                "after \"?\", write bugs=…, changes=…, faults=…, seed=…, ids=…, link=… and "
                "tree=…, separated by "
                "\"&\"");
    return rc;
}

enum ia_rc ia_knobs_parse(struct ia_str query, struct ia_knobs *ret, struct ia_err *err)
{
    struct ia_knobs k = {0};
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && query.n > 0) {
        rc = read_knob(ia_knob_cut(&query, '&'), &k, err);
    }
    if (rc == IA_OK) {
        *ret = k;
    }
    return rc;
}

bool ia_knobs_url(struct ia_str url, struct ia_str *ret_query)
{
    if (!ia_str_starts(url, ia_str("embedded:"))) {
        return false;
    }
    (void)ia_knob_cut(&url, '?');
    *ret_query = url;
    return true;
}
