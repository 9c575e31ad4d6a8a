/* verb_told.c: word of each command for who watches what is done with devices (server/hub/commands.h).
 *
 * What nobody may read is left out: text that is typed is told only when it is known that the field is no
 * password field, which is when it was typed; what is on the pasteboard is not told at all. Nor is any
 * text with a stored secret in it, nor what may be an API key. */
#include "base/complaint.h"
#include "base/utf8.h"
#include "server/verbs/verb_impl.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 1000 };

static const char hidden[] = "\xE2\x80\xA2\xE2\x80\xA2\xE2\x80\xA2";

/* The option whose value may be a secret, or NULL. */
static const char *private_option(const struct ia_verb *verb)
{
    bool has = verb->run == ia_verb_do_type || verb->run == ia_verb_do_pasteboard;
    return has ? "text" : NULL;
}

/* "9 password:focused Password" */
static bool is_secure(const char *element)
{
    const char *role = strchr(element, ' ');
    size_t n = strlen(ia_role_name(IA_ROLE_SECURE));
    return role && strncmp(role + 1, ia_role_name(IA_ROLE_SECURE), n) == 0 &&
           strchr(": ", role[1 + n]);
}

/* What was typed stands in the open. */
static bool is_plain(const struct ia_verb_call *call)
{
    return call->request->verb->run == ia_verb_do_type && call->element[0] &&
           !is_secure(call->element);
}

/* Whether anything may be written there; a ref is a number or the name of what the screen shows. */
static bool is_free_text(const struct ia_opt *o)
{
    static const char *const names[] = {"ref", "device", "session"};
    bool free = o->kind == IA_OPT_TEXT && !o->local;
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        free = free && strcmp(o->name, names[i]) != 0;
    }
    return free;
}

bool ia_verb_has_secret(const struct ia_verb_call *call)
{
    const struct ia_args *a = call->args;
    for (size_t i = 0; i < a->set_count; i++) {
        if (is_free_text(a->set[i].opt) && ia_hub_is_secret(call->hub, a->set[i].value)) {
            return true;
        }
    }
    return false;
}

static void hide_keys(struct ia_buf *b)
{
    if (b->len > 0) {
        (void)ia_buf_cstr(b); /* ends it */
        ia_hide_keys(b->p);
        ia_buf_cut(b, strlen(b->p));
    }
}

/* Before it is JSON: behind an escape a key would look like no key. */
static void put_string(struct ia_jsonw *w, const char *text)
{
    struct ia_buf shown = IA_BUF(VALUE_BYTES_MAX + sizeof("…"));
    bool whole = strlen(text) <= VALUE_BYTES_MAX;
    ia_buf_put(&shown, text, whole ? strlen(text) : ia_utf8_cut(text, VALUE_BYTES_MAX));
    ia_buf_puts(&shown, whole ? "" : "…");
    hide_keys(&shown);
    ia_jsonw_string(w, ia_buf_cstr(&shown));
    ia_buf_fini(&shown);
}

static void put_value(struct ia_jsonw *w, const struct ia_arg *arg, const char *mask)
{
    const char *text = arg->value;
    if (arg->opt->kind == IA_OPT_FLAG) {
        ia_jsonw_bool(w, true);
    } else if (arg->opt->kind == IA_OPT_INT) {
        ia_jsonw_int(w, strtoll(text, NULL, 10));
    } else if (arg->opt->kind == IA_OPT_REAL) {
        ia_jsonw_real(w, strtod(text, NULL));
    } else {
        put_string(w, mask ? mask : text);
    }
}

/* An option with all its values: one, or an array of what repeats; with `mask` (NULL: none) for each text. */
static void put_option(struct ia_jsonw *w, const struct ia_args *a, const struct ia_opt *o,
                       const char *mask)
{
    char name[64];
    size_t n = 0;
    for (; o->name[n] && n < sizeof(name) - 1; n++) {
        name[n] = o->name[n] == '-' ? '_' : o->name[n];
    }
    name[n] = '\0';
    ia_jsonw_key(w, name);
    if (o->repeat) {
        ia_jsonw_array(w);
    }
    for (size_t i = 0; i < a->set_count; i++) {
        if (a->set[i].opt == o) {
            put_value(w, &a->set[i], mask);
        }
    }
    if (o->repeat) {
        ia_jsonw_end_array(w);
    }
}

/* plain: what was typed is not hidden. */
static void put_args(const struct ia_verb_call *call, bool plain, struct ia_buf *out)
{
    const struct ia_args *a = call->args;
    const char *secret = plain ? NULL : private_option(call->request->verb);
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    for (const struct ia_opt *o = a->opts; o->name; o++) {
        bool named = strcmp(o->name, "device") == 0 || strcmp(o->name, "session") == 0;
        bool hide =
            (secret && strcmp(o->name, secret) == 0) || (call->has_secret && is_free_text(o));
        if (!o->local && !named && ia_args_has(a, o->name)) {
            put_option(&w, a, o, hide ? hidden : NULL);
        }
    }
    ia_jsonw_end_object(&w);
}

int64_t ia_verb_tell_begin(const struct ia_verb_call *call, const char *device)
{
    struct ia_buf args = IA_BUF(IA_VERB_BYTES_MAX);
    put_args(call, false, &args);
    const struct ia_command_begin begin = {.device = device,
                                           .verb = call->request->verb->name,
                                           .actor = call->request->actor,
                                           .args = ia_buf_str(&args)};
    int64_t n = ia_commands_begin(ia_hub_commands(call->hub), &begin);
    ia_buf_fini(&args);
    return n;
}

/* What it printed or why it failed; nothing where that may show what was typed in secret, or a part of it. */
static void put_text(const struct ia_verb_call *call, bool plain, enum ia_rc rc,
                     const struct ia_verb_result *ret, const struct ia_err *err,
                     struct ia_buf *out)
{
    const char *secret = private_option(call->request->verb);
    const char *value = secret && !plain ? ia_args_text(call->args, secret) : NULL;
    const char *text = rc == IA_OK ? ia_buf_cstr(&ret->text) : err ? err->msg : "";
    bool shown = value && (rc == IA_OK || rc == IA_E_TEXT_MISMATCH || strstr(text, value));
    if (call->request->verb->run == ia_verb_do_pasteboard || call->has_secret || shown) {
        return;
    }
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == '\n') {
        n--;
    }
    ia_buf_put(out, text, n);
    hide_keys(out);
}

void ia_verb_tell_end(const struct ia_verb_call *call, int64_t n, enum ia_rc rc,
                      const struct ia_verb_result *ret, const struct ia_err *err)
{
    struct ia_buf args = IA_BUF(IA_VERB_BYTES_MAX), text = IA_BUF(IA_VERB_BYTES_MAX);
    struct ia_buf element = IA_BUF(sizeof(call->element));
    bool plain = rc == IA_OK && is_plain(call);
    put_args(call, plain, &args);
    put_text(call, plain, rc, ret, err, &text);
    ia_buf_puts(&element, call->element);
    hide_keys(&element);
    const struct ia_command_end end = {.code = rc,
                                       .args = ia_buf_str(&args),
                                       .text = ia_buf_str(&text),
                                       .element =
                                           element.len > 0 ? ia_buf_cstr(&element) : NULL};
    ia_commands_end(ia_hub_commands(call->hub), n, &end);
    ia_buf_fini(&args);
    ia_buf_fini(&text);
    ia_buf_fini(&element);
}
