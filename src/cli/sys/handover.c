/* handover.c: a verb goes to the daemon, and what it answers is what this command would have printed. */
#include "cli/sys/handover.h"

#include "base/fd.h"
#include "cli/view/wrap.h"
#include "client/client.h"
#include "server/verbs/verbs.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Options that only the command line has, as --no-daemon, make a verb run here. */
static bool stays_here(const struct ia_opt *o)
{
    return o->local && strcmp(o->name, "json") != 0;
}

/* A picture that only an envelope could carry: the command says so here, and asks nobody. */
static bool lacks_json(const struct ia_cli *c)
{
    return !c->json && c->command->verb && strcmp(c->command->verb, "snapshot") == 0 &&
           ia_args_has(&c->args, "screenshot");
}

bool ia_handover_wanted(const struct ia_cli *c)
{
    if (lacks_json(c)) {
        return false;
    }
    for (size_t i = 0; i < c->args.set_count; i++) {
        if (stays_here(c->args.set[i].opt)) {
            return false;
        }
    }
    return !ia_client_unwanted();
}

enum ia_rc ia_handover_stdin(struct ia_args *a, struct ia_buf *text, struct ia_err *err)
{
    for (size_t i = 0; i < a->set_count; i++) {
        const char *value = a->set[i].value; /* NULL: snapshot has a flag of that name */
        bool asked =
            value && strcmp(a->set[i].opt->name, "text") == 0 && strcmp(value, "-") == 0;
        if (asked) {
            enum ia_rc rc = ia_stdin_read(text, err);
            ia_buf_cut(text, text->len - (text->len > 0 && text->p[text->len - 1] == '\n'));
            a->set[i].value = ia_buf_cstr(text);
            return rc;
        }
    }
    return IA_OK;
}

/* Complaints fit the terminal; what goes to standard output is data. */
static void complain(struct ia_str text)
{
    struct ia_buf fitted = IA_BUF(2 * IA_CLI_OUTPUT_MAX);
    ia_wrap_lines(&fitted, text, ia_wrap_width(STDERR_FILENO));
    (void)ia_write_all(STDERR_FILENO, fitted.p, fitted.len);
    ia_buf_fini(&fitted);
}

/* What the daemon answered is what this command would have printed. */
static int copy_out(const struct ia_client_answer *a)
{
    size_t n = a->body.len - a->err_bytes;
    struct ia_str out = {a->body.p, a->to_stderr ? 0 : n};
    struct ia_str err = a->to_stderr ? (struct ia_str){a->body.p, n}
                                     : (struct ia_str){a->body.p + n, a->err_bytes};
    bool written = out.n == 0 || ia_write_all(STDOUT_FILENO, out.p, out.n) == IA_OK;
    if (err.n > 0) {
        complain(err);
    }
    return written ? a->exit_status : ia_rc_exit(IA_E_IO);
}

/* ---- interruption ------------------------------------------------------------------------ */

#define LOOK "it may have been done: look at the screen before you try again"
static const char interrupted[] = "ios-agent: interrupted\n  hint: " LOOK "\n";
static const char interrupted_json[] =
    "{\"status\":\"error\",\"stdout\":\"\",\"result\":null,\"error\":{\"code\":\"CANCELLED\","
    "\"message\":\"interrupted\",\"hint\":\"" LOOK
    "\",\"outcome\":\"unknown\",\"retry_safe\":false}}\n";
static volatile sig_atomic_t as_json, exit_status;
static volatile sig_atomic_t asking; /* nothing of the answer was printed yet */

/* The daemon cancels the command when the connection ends. */
static void leave(int signo)
{
    (void)signo;
    if (asking && as_json) {
        (void)!write(STDOUT_FILENO, interrupted_json, sizeof(interrupted_json) - 1);
    } else if (asking) {
        (void)!write(STDERR_FILENO, interrupted, sizeof(interrupted) - 1);
    }
    _exit(exit_status);
}

static void leave_on_signals(bool json)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, action = {.sa_handler = leave};
    as_json = json;
    exit_status = ia_rc_exit(IA_E_CANCELLED);
    asking = true;
    for (size_t i = 0; i < IA_COUNTOF(signals); i++) {
        /* What the caller ignores, as under nohup, stays ignored. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

enum ia_rc ia_handover(struct ia_cli *c, const char *verb, struct ia_err *err)
{
    enum ia_rc checked = ia_verb_check(ia_verb_find(verb), &c->args, err);
    if (checked != IA_OK) {
        return checked;
    }
    leave_on_signals(c->json);
    struct ia_buf text = IA_BUF(IA_CLI_OUTPUT_MAX);
    struct ia_client_answer answer = {.exit_status = -1};
    struct ia_client *client =
        c->client ? c->client : ia_client_new(&(struct ia_client_opts){.start = true}, err);
    enum ia_rc rc = client ? ia_handover_stdin(&c->args, &text, err) : err->code;
    if (rc == IA_OK) {
        rc = ia_client_verb(client, verb, &c->args, &answer, err);
    }
    asking = false;
    if (rc == IA_OK && answer.exit_status < 0) {
        rc = ia_err_set(err, IA_E_PROTO, "the daemon (build %s) answered with status %d: %.*s",
                        answer.build, answer.http_status, (int)answer.body.len,
                        ia_buf_cstr(&answer.body));
    } else if (rc == IA_OK) {
        c->handed_over = true;
        c->exit_status = copy_out(&answer);
    }
    ia_buf_fini(&text);
    ia_client_answer_fini(&answer);
    if (client != c->client) {
        ia_client_free(client);
    }
    return rc;
}
