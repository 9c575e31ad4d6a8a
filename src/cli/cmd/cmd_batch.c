/* batch: many device commands over one connection, a line each.
 *
 *   stdin ─► words of a line ─► command and arguments ─► as main does it, printed at once
 *
 * A line is a JSON array of words, or words as a shell takes them: nothing is expanded. */
#include "agent/goal/expect.h"
#include "base/fd.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/handover.h"
#include "client/client.h"
#include "server/hub/hub.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    struct ia_cli *c;
    struct ia_paths paths;
    int worst;
    size_t line;
};

/* ---- words ------------------------------------------------------------------------------- */

static char **words_of_json(const char *line)
{
    json_t *array = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    size_t n = json_array_size(array);
    char **words = json_is_array(array) && n > 0 && n <= IA_ARGS_MAX
                       ? ia_calloc(n + 1, sizeof(*words))
                       : NULL;
    for (size_t i = 0; words && i < n; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text) {
            ia_words_free(words);
            words = NULL;
        } else {
            words[i] = ia_strdup(text);
        }
    }
    json_decref(array);
    return words;
}

/* ---- a line ------------------------------------------------------------------------------ */

/* launch, terminate and open-url also know simulators, so they have no verb of their own here. */
static bool of_a_device(const struct ia_command *cmd)
{
    return cmd->verb || cmd->run == ia_cmd_launch || cmd->run == ia_cmd_terminate ||
           cmd->run == ia_cmd_open_url;
}

static enum ia_rc do_words(struct ia_cli *sub, char **line, struct ia_err *err)
{
    static char json[] = "--json";
    char *all[IA_ARGS_MAX + 1];
    char **argv = all;
    int argc = 0, words = 0;
    for (; line[argc] && argc < IA_ARGS_MAX; argc++) {
        argv[argc] = line[argc];
    }
    if (argc > 1 && strcmp(argv[0], "ios-agent") == 0) {
        argc--;
        argv++;
    }
    enum ia_rc rc = ia_command_find(sub->commands, argc, argv, &sub->command, &words, err);
    if (rc == IA_OK && !of_a_device(sub->command)) {
        rc = ia_err_set(err, IA_E_USAGE, "batch does device commands, not %s",
                        sub->command->name);
    }
    if (rc == IA_OK && sub->json) {
        argv[argc++] = json;
    }
    if (rc == IA_OK) {
        rc = ia_args_parse(&sub->args, sub->command->opts, argc - words, argv + words, err);
    }
    if (rc == IA_OK && ia_args_has(&sub->args, "help")) {
        ia_help_command(sub->command, &sub->text);
        return IA_OK;
    }
    if (rc == IA_OK) {
        rc = ia_command_check(sub->commands, sub->command, &sub->args, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    sub->json = sub->json || ia_args_has(&sub->args, "json");
    return sub->command->verb && ia_handover_wanted(sub)
               ? ia_handover(sub, sub->command->verb, err)
               : sub->command->run(sub, err);
}

static enum ia_rc no_words(size_t line, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE,
                               "line %zu is neither words nor a JSON array of texts", line);
    ia_err_hint(err,
                "tap '\"Log In\"', or [\"tap\", \"\\\"Log In\\\"\"], or [\"tap\", \"12\"]");
    return rc;
}

/* Prints what the line came to, and keeps the worst exit status. False: the batch ends here. */
static bool do_line(struct batch *b, char *line)
{
    struct ia_cli *sub = ia_alloc(sizeof(*sub));
    struct ia_err err = {.code = IA_OK};
    *sub = *b->c;
    sub->text = IA_BUF(IA_CLI_OUTPUT_MAX);
    sub->result = IA_BUF(IA_CLI_OUTPUT_MAX);
    ia_jsonw_init(&sub->w, &sub->result);
    char **words = *line == '[' ? words_of_json(line) : ia_command_words(line);
    enum ia_rc rc = words ? do_words(sub, words, &err) : no_words(b->line, &err);
    int status = sub->handed_over ? sub->exit_status : ia_cli_finish(sub, rc, &err);
    b->worst = status > b->worst ? status : b->worst;
    if (words) {
        ia_words_free(words);
    }
    ia_buf_fini(&sub->text);
    ia_buf_fini(&sub->result);
    free(sub);
    return status == 0 || ia_args_has(&b->c->args, "keep-going");
}

/* ---- all of them ------------------------------------------------------------------------- */

static enum ia_rc connect_batch(struct batch *b, struct ia_err *err)
{
    bool here = ia_args_has(&b->c->args, "no-daemon") || ia_client_unwanted();
    enum ia_rc rc = ia_paths_find(NULL, &b->paths, err);
    if (rc == IA_OK && here) {
        b->c->hub =
            ia_hub_new(&(struct ia_hub_opts){.paths = &b->paths, .command = "ios-agent batch"});
    } else if (rc == IA_OK) {
        b->c->client = ia_client_new(&(struct ia_client_opts){.start = true}, err);
        rc = b->c->client ? IA_OK : err->code;
    }
    return rc;
}

/* Each line is done when it has arrived, so that another program can answer what it reads. */
static enum ia_rc do_stdin(struct batch *b, struct ia_err *err)
{
    char *line = NULL;
    size_t size = 0;
    bool more = true;
    while (more && getline(&line, &size, stdin) >= 0) {
        b->line++;
        line[strcspn(line, "\r\n")] = '\0';
        const char *first = line + strspn(line, " \t");
        more = *first == '\0' || *first == '#' || do_line(b, line + (first - line));
    }
    free(line);
    return ferror(stdin) ? ia_err_set(err, IA_E_IO, "cannot read standard input") : IA_OK;
}

enum ia_rc ia_cmd_batch(struct ia_cli *c, struct ia_err *err)
{
    struct batch b = {.c = c};
    enum ia_rc rc = connect_batch(&b, err);
    bool more = true;
    for (size_t i = 0; rc == IA_OK && more && i < c->args.operand_count; i++) {
        char *line = ia_strdup(ia_args_operand(&c->args, i));
        b.line++;
        more = do_line(&b, line);
        free(line);
    }
    if (rc == IA_OK && c->args.operand_count == 0) {
        rc = do_stdin(&b, err);
    }
    if (rc == IA_OK) {
        c->handed_over = true;
        c->exit_status = b.worst;
    }
    ia_client_free(c->client);
    ia_hub_free(c->hub);
    ia_paths_fini(&b.paths);
    c->client = NULL;
    c->hub = NULL;
    return rc;
}
