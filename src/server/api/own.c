/* own.c: command lines of this program, and what they answered. */
#include "server/api/own.h"

#include "base/envelope.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES_MAX = 64 << 10 };

static void add_env(struct ia_own *o, size_t *n, const char *name, const char *value)
{
    struct ia_buf line = IA_BUF(WORD_BYTES_MAX);
    if (value) {
        ia_buf_printf(&line, "%s=%s", name, value);
        o->env[(*n)++] = ia_buf_steal(&line);
    }
}

enum ia_rc ia_own_init(struct ia_own *o, const struct ia_api_call *call, const char *command,
                       struct ia_err *err)
{
    static const char *const kept[] = {"PATH", "HOME", "TMPDIR", "DEVELOPER_DIR"};
    size_t n = 0;
    *o = (struct ia_own){.cwd = ia_strdup(ia_api_folder(call))};
    if (!call->api->opts.program) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "the program's own file is not known");
    }
    add_env(o, &n, "IOS_AGENT_HOME", call->api->opts.setup->paths.home);
    for (size_t i = 0; i < IA_COUNTOF(kept); i++) {
        add_env(o, &n, kept[i], ia_env_get(NULL, kept[i]));
    }
    ia_own_add(o, "%s", call->api->opts.program);
    ia_own_add(o, "%s", command);
    return IA_OK;
}

void ia_own_fini(struct ia_own *o)
{
    for (char **word = o->argv; *word; word++) {
        free(*word);
    }
    for (char **line = o->env; *line; line++) {
        free(*line);
    }
    free(o->cwd);
}

void ia_own_add(struct ia_own *o, const char *fmt, ...)
{
    char word[WORD_BYTES_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(word, sizeof(word), fmt, args);
    va_end(args);
    if (o->argc + 1 < IA_COUNTOF(o->argv)) {
        o->argv[o->argc++] = ia_strdup(word);
    }
}

struct ia_spawn ia_own_spawn(const struct ia_own *o)
{
    return (struct ia_spawn){.argv = (const char *const *)o->argv,
                             .env = (const char *const *)o->env,
                             .cwd = o->cwd};
}

static enum ia_rc error_of(const json_t *error, struct ia_err *err)
{
    enum ia_rc rc = ia_rc_from_name(ia_json_text(error, "code"));
    rc = ia_err_set(err, rc == IA_RC_COUNT ? IA_E_CHILD : rc, "%s",
                    ia_json_text(error, "message"));
    ia_err_hint(err, "%s", ia_json_text(error, "hint"));
    return rc;
}

enum ia_rc ia_own_answer(struct ia_api_call *call, const struct ia_spawn_result *r,
                         struct ia_err *err)
{
    json_t *envelope = json_loadb(r->out.p ? r->out.p : "", r->out.len, 0, NULL);
    const json_t *value = json_object_get(envelope, "result");
    const json_t *error = json_object_get(envelope, "error");
    enum ia_rc rc = IA_OK;
    if (!value) {
        rc = ia_spawn_check(r, "ios-agent", err);
        rc = rc != IA_OK ? rc : ia_err_set(err, IA_E_CHILD, "the command said nothing");
    } else {
        char *text =
            json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        ia_buf_putstr(&call->text, ia_json_field(envelope, "stdout"));
        ia_buf_puts(&call->result, text);
        free(text);
        rc = json_is_object(error) ? error_of(error, err) : IA_OK;
    }
    json_decref(envelope);
    return rc;
}
