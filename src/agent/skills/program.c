/* program.c: request ─► spawn ─► answer, each with its caps. */
#include "agent/skills/program.h"

#include "base/base64.h"
#include "base/clean.h"
#include "base/jsonw.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "json/json.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    REQUEST_BYTES_MAX = 256 << 10,
    ANSWER_VALUES_MAX = 1000,
    SECRET_BYTES_MIN = 3,
    VARIABLE_BYTES_MAX = 8192,
    HIDDEN_BYTES_MAX = 64 << 20 /* names may be longer than what they stand for */
};

static enum ia_rc bad(struct ia_err *err, const char *what)
{
    return ia_err_set(err, IA_E_PROTO, "its answer %s", what);
}

static bool members_known(const json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) {
            i++;
        }
        if (!known[i]) {
            return false;
        }
    }
    return true;
}

/* ---- secrets ------------------------------------------------------------------------------ */

static void hide(struct ia_buf *text, const char *name, struct ia_str value)
{
    struct ia_buf out = IA_BUF(HIDDEN_BYTES_MAX);
    struct ia_str rest = ia_buf_str(text);
    for (const char *at; (at = ia_str_find(rest, value.p)) != NULL;) {
        size_t before = (size_t)(at - rest.p);
        ia_buf_put(&out, rest.p, before);
        ia_buf_printf(&out, "{{secret:%s}}", name);
        rest = (struct ia_str){at + value.n, rest.n - before - value.n};
    }
    ia_buf_putstr(&out, rest);
    ia_buf_fini(text);
    *text = out;
}

/* No granted secret comes back: its name stands where its value was. On what the program wrote, before anything is
 * cut or cleaned: part of a secret would not be found any more. */
static void hide_secrets(const struct ia_manifest *m, struct ia_buf *text)
{
    for (size_t i = 0; m && i < m->secrets.count; i++) {
        const char *value = ia_env_get(NULL, m->secrets.items[i]);
        if (value && strlen(value) >= SECRET_BYTES_MIN) {
            hide(text, m->secrets.items[i], ia_str(value));
        }
    }
}

static void put_hidden(const struct ia_manifest *m, struct ia_str text, struct ia_buf *ret)
{
    *ret = IA_BUF(HIDDEN_BYTES_MAX);
    ia_buf_putstr(ret, text);
    hide_secrets(m, ret);
}

/* ---- the answer -------------------------------------------------------------------------- */

static void cleaned(const struct ia_manifest *m, const json_t *object, const char *key,
                    char *dst, size_t size)
{
    struct ia_buf line = IA_BUF(HIDDEN_BYTES_MAX), raw;
    put_hidden(m, ia_json_field(object, key), &raw);
    ia_clean(&line, ia_buf_str(&raw), IA_CLEAN_LINE);
    ia_buf_fini(&raw);
    struct ia_err cut; /* cuts at a character */
    ia_err_set(&cut, IA_E_FAILED, "%s", ia_buf_cstr(&line));
    (void)snprintf(dst, size, "%.*s", (int)(size - 1), cut.msg);
    ia_buf_fini(&line);
}

static enum ia_rc read_error(const struct ia_manifest *m, const json_t *error,
                             struct ia_skill_answer *ret, struct ia_err *err)
{
    static const char *const known[] = {"message", "hint", "outcome", NULL};
    const json_t *outcome = json_object_get(error, "outcome");
    const char *said = json_string_value(outcome);
    if (!json_is_object(error) || !json_is_string(json_object_get(error, "message")) ||
        !members_known(error, known)) {
        return bad(err, "has an error that is no object with message, hint and outcome");
    }
    enum ia_outcome o = IA_OUTCOME_NOT_SENT;
    while (said && o <= IA_OUTCOME_UNKNOWN && strcmp(said, ia_outcome_name(o)) != 0) {
        o++;
    }
    if (outcome && (!said || o > IA_OUTCOME_UNKNOWN)) {
        return bad(err, "has another outcome than not_sent, sent or unknown");
    }
    ret->failed = true;
    ret->outcome = said ? o : IA_OUTCOME_UNKNOWN;
    cleaned(m, error, "message", ret->message, sizeof(ret->message));
    cleaned(m, error, "hint", ret->hint, sizeof(ret->hint));
    return IA_OK;
}

/* Cut before it is cleaned, which may make it longer. */
static void read_text(const struct ia_manifest *m, const json_t *root,
                      struct ia_skill_answer *ret)
{
    struct ia_buf raw;
    put_hidden(m, ia_json_field(root, "text"), &raw);
    struct ia_str text = ia_buf_str(&raw);
    bool cut = text.n > IA_SKILL_ANSWER_TEXT_MAX;
    text.n = cut ? IA_SKILL_ANSWER_TEXT_MAX : text.n;
    while (cut && text.n > 0 && ((unsigned char)text.p[text.n] & 0xc0) == 0x80) {
        text.n--;
    }
    ia_clean(&ret->text, text, IA_CLEAN_TEXT);
    ia_buf_puts(&ret->text, cut ? "\n(cut: an answer has at most 32 KB)" : "");
    ia_buf_fini(&raw);
}

static enum ia_rc read_root(const struct ia_manifest *m, const json_t *root,
                            struct ia_skill_answer *ret, struct ia_err *err)
{
    static const char *const known[] = {"text", "image", "error", NULL};
    static const char png[] = "\x89PNG\r\n\x1a\n";
    const json_t *error = json_object_get(root, "error");
    const json_t *image = json_object_get(root, "image");
    if (!json_is_object(root) || !members_known(root, known)) {
        return bad(err, "is no object with text, image or error");
    }
    if (error) {
        return json_object_size(root) == 1 ? read_error(m, error, ret, err)
                                           : bad(err, "has more than an error");
    }
    if (!json_is_string(json_object_get(root, "text"))) {
        return bad(err, "has no text");
    }
    if (image &&
        (!json_is_string(image) || !ia_base64_decode(ia_json_str(image), &ret->png) ||
         ret->png.len < sizeof(png) || memcmp(ret->png.p, png, sizeof(png) - 1) != 0)) {
        return bad(err, "has an image that is no PNG in base64");
    }
    read_text(m, root, ret);
    return IA_OK;
}

enum ia_rc ia_skill_answer_read(const struct ia_manifest *m, struct ia_str text,
                                struct ia_skill_answer *ret, struct ia_err *err)
{
    *ret = (struct ia_skill_answer){.text = IA_BUF((size_t)IA_SKILL_ANSWER_TEXT_MAX * 4),
                                    .png = IA_BUF(IA_SKILL_ANSWER_BYTES_MAX)};
    if (text.n == 0) {
        return bad(err, "is missing");
    }
    if (text.n > IA_SKILL_ANSWER_BYTES_MAX ||
        !ia_json_depth_ok(text, IA_SKILL_ANSWER_DEPTH_MAX) ||
        !ia_json_count_ok(text, ANSWER_VALUES_MAX)) {
        return bad(err, "is too large or too deep");
    }
    json_t *root = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    enum ia_rc rc = root ? read_root(m, root, ret, err) : bad(err, "is not one JSON object");
    json_decref(root);
    return rc;
}

void ia_skill_answer_fini(struct ia_skill_answer *a)
{
    ia_buf_fini(&a->text);
    ia_buf_fini(&a->png);
}

/* ---- what it gets ------------------------------------------------------------------------ */

static void add_variable(struct ia_skill_variables *e, const char *name)
{
    const char *value = ia_env_get(NULL, name);
    if (value && strlen(value) <= VARIABLE_BYTES_MAX && e->count < IA_SKILL_VARIABLES_MAX) {
        struct ia_buf b = IA_BUF(2 * VARIABLE_BYTES_MAX);
        ia_buf_printf(&b, "%s=%s", name, value);
        e->items[e->count++] = ia_buf_steal(&b);
    }
}

/* What programs need to run at all, what the manifest names, and the secrets that were granted. */
void ia_skill_variables_init(struct ia_skill_variables *e, const struct ia_manifest *m,
                             const json_t *granted)
{
    static const char *const always[] = {"PATH",   "HOME",     "TMPDIR", "LANG",
                                         "LC_ALL", "LC_CTYPE", "TZ"};
    *e = (struct ia_skill_variables){.count = 0};
    for (size_t i = 0; i < IA_COUNTOF(always); i++) {
        add_variable(e, always[i]);
    }
    for (size_t i = 0; i < m->environment.count; i++) {
        add_variable(e, m->environment.items[i]);
    }
    for (size_t i = 0; i < m->secrets.count; i++) {
        if (ia_tools_named(granted, m->secrets.items[i])) {
            add_variable(e, m->secrets.items[i]);
        }
    }
    /* Python would put a folder beside the sources, and what was trusted would be something else. */
    e->items[e->count++] = ia_strdup("PYTHONDONTWRITEBYTECODE=1");
}

void ia_skill_variables_fini(struct ia_skill_variables *e)
{
    for (size_t i = 0; i < e->count; i++) {
        ia_free_wiped(e->items[i]);
    }
}

static void put_request(struct ia_buf *out, const struct ia_manifest *m,
                        const struct ia_skill_program *p, const struct ia_skill_caller *caller,
                        const struct ia_tool_env *env, const json_t *input)
{
    struct ia_jsonw w;
    char *text = json_dumps(input, JSON_COMPACT);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "protocol", 1);
    ia_jsonw_kv(&w, "skill", m->name);
    ia_jsonw_kv(&w, "tool", p->name);
    ia_jsonw_key(&w, "input");
    ia_jsonw_raw(&w, ia_str(text ? text : "{}"));
    ia_jsonw_kv(&w, "run", caller->run_id);
    ia_jsonw_kv(&w, "call", env->call);
    ia_jsonw_kv(&w, "device", caller->device);
    ia_jsonw_end_object(&w);
    ia_buf_putc(out, '\n');
    free(text);
}

/* ---- the call ---------------------------------------------------------------------------- */

static enum ia_rc take_answer(const struct ia_skill_answer *a, const struct ia_tool_env *env,
                              struct ia_tool_result *ret, struct ia_err *err)
{
    if (a->failed) {
        ia_err_set(err, IA_E_FAILED, "%s", a->message);
        ia_err_hint(err, "%s", a->hint);
        err->outcome = a->outcome;
        return IA_E_FAILED;
    }
    ia_buf_putc(&ret->text, '\n');
    ia_fence_data(&ret->text, env->boundary, ia_buf_str(&a->text));
    if (a->png.len > 0 && env->keep &&
        env->keep(env->keep_ctx, ia_buf_str(&a->png), &ret->image, err) != IA_OK) {
        ret->image = (struct ia_tool_image){.sha = ""};
        ia_buf_puts(&ret->text, "\nits picture could not be kept");
    }
    return IA_OK;
}

/* Nothing more is worth waiting for once it has written too much. */
static int stop_flood(void *ctx, const struct ia_spawn_result *so_far)
{
    (void)ctx;
    return so_far->truncated ? SIGKILL : 0;
}

static int64_t timeout_ms(const struct ia_skill_program *p, const struct ia_tool_env *env)
{
    int64_t ms = (int64_t)p->seconds * 1000;
    if (env->limit.at_us != IA_NO_DEADLINE) {
        int64_t left = (env->limit.at_us - ia_mono_us(env->clock)) / 1000;
        ms = left < ms ? left : ms;
    }
    return ms > 0 ? ms : 1;
}

static enum ia_rc run(const struct ia_manifest *m, const struct ia_skill_program *p,
                      const struct ia_tool_env *env, const struct ia_skill_variables *vars,
                      struct ia_str request, struct ia_spawn_result *ret, struct ia_err *err)
{
    const struct ia_spawn s = {.argv = (const char *const *)p->argv.items,
                               .env = (const char *const *)vars->items,
                               .cwd = m->folder,
                               .input = request,
                               .output_max = IA_SKILL_ANSWER_BYTES_MAX,
                               .whole_group = true,
                               .timeout_ms = timeout_ms(p, env),
                               .cancel = env->limit.cancel,
                               .watch = stop_flood};
    enum ia_rc rc = ia_spawn_run(&s, ret, err);
    hide_secrets(m, &ret->err);
    if (ret->exit_status != 0) {
        hide_secrets(m, &ret->out);
    }
    if (rc == IA_E_MISSING || (rc == IA_E_CANCELLED && ret->exit_status < 0 && !ret->signal)) {
        err->outcome = IA_OUTCOME_NOT_SENT; /* it never began */
        return rc;
    }
    if (ret->truncated) {
        rc = ia_err_set(err, IA_E_LIMIT, "it wrote more than %d MB and was ended",
                        IA_SKILL_ANSWER_BYTES_MAX >> 20);
    }
    rc = rc == IA_OK ? ia_spawn_check(ret, p->argv.items[0], err) : rc;
    err->outcome = rc == IA_OK ? err->outcome : IA_OUTCOME_UNKNOWN;
    return rc;
}

static enum ia_rc check_unchanged(const struct ia_manifest *m, struct ia_err *err)
{
    char now[IA_SHA256_HEX_SIZE];
    struct ia_err why;
    if (ia_skill_hash(m->folder, now, &why) == IA_OK && strcmp(now, m->hash) == 0) {
        return IA_OK;
    }
    err->outcome = IA_OUTCOME_NOT_SENT;
    ia_err_set(err, IA_E_FORBIDDEN, "the folder of skill %s has changed since the run began",
               m->name);
    err->outcome = IA_OUTCOME_NOT_SENT;
    return IA_E_FORBIDDEN;
}

enum ia_rc ia_skill_program_call(const struct ia_manifest *m, const struct ia_skill_program *p,
                                 const struct ia_skill_caller *caller,
                                 const struct ia_tool_env *env, const json_t *input,
                                 struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_skill_variables vars;
    struct ia_spawn_result out;
    struct ia_skill_answer answer;
    struct ia_buf request = IA_BUF(REQUEST_BYTES_MAX);
    enum ia_rc rc = check_unchanged(m, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_skill_variables_init(&vars, m, caller->granted);
    put_request(&request, m, p, caller, env, input);
    out = (struct ia_spawn_result){.exit_status = -1};
    rc = ia_buf_check(&request, "the call's input", err);
    if (rc == IA_OK) {
        rc = run(m, p, env, &vars, ia_buf_str(&request), &out, err);
    } else {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    ia_skill_variables_fini(&vars);
    ia_buf_fini(&request);
    if (rc == IA_OK) {
        rc = ia_skill_answer_read(m, ia_buf_str(&out.out), &answer, err);
        err->outcome = rc == IA_OK ? err->outcome : IA_OUTCOME_UNKNOWN;
        rc = rc == IA_OK ? take_answer(&answer, env, ret, err) : rc;
        ia_skill_answer_fini(&answer);
    }
    if (rc != IA_OK && rc != IA_E_FAILED) {
        struct ia_buf line = IA_BUF(4096);
        ia_clean(&line, ia_str(err->msg), IA_CLEAN_LINE);
        (void)snprintf(err->msg, sizeof(err->msg), "%s: %.900s", p->name, ia_buf_cstr(&line));
        ia_buf_fini(&line);
    }
    ia_spawn_result_fini(&out);
    return rc;
}
