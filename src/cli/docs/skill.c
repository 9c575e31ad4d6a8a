/* skill.c: what a coding agent reads about this program: the texts of skills/, with the parts that
 * tables know better filled in, so that they are of this build.
 *
 *   {{version}}   of the program
 *   {{verbs}}     the commands of a device: the rows of the table that name a verb
 *   {{codes}}     error codes, their exit status, and what to do */
#include "cli/docs/docs.h"

#include <stdlib.h>
#include <string.h>

/* What an agent does about an error; the others say it in their hint. */
static const struct {
    enum ia_rc code;
    const char *todo;
} todos[] = {
    {IA_E_STALE_REF, "the element is gone: take a ref from the candidates or the screen"},
    {IA_E_NO_SNAPSHOT, "no refs yet: take a snapshot, or name the element"},
    {IA_E_NOT_FOUND,
     "nothing has that name: read the candidates, scroll-to it, or wait-for it"},
    {IA_E_AMBIGUOUS, "several match: use the ref of the right one"},
    {IA_E_COVERED, "something is over it: close that first"},
    {IA_E_DISABLED, "it cannot be used yet: find what it waits for"},
    {IA_E_NO_EFFECT, "it was done and nothing changed: try another way, do not repeat it"},
    {IA_E_TEXT_MISMATCH, "the field shows something else: read it, then type with --replace"},
    {IA_E_NO_ALERT, "there is no alert: go on"},
    {IA_E_NOT_MET, "it does not hold (is): the hint says what is there"},
    {IA_E_TIMEOUT, "it did not hold in time (wait-for): the hint says what is there"},
    {IA_E_APP_GONE, "the app ended: that is a finding; open it again"},
    {IA_E_NO_DEVICE, "there is no such device: ios-agent devices"},
    {IA_E_DEVICE_LOST, "the connection broke: look at the screen, then go on"},
    {IA_E_BUSY, "somebody else drives this device: wait, or use another one"},
    {IA_E_KEY_MISSING, "a person stores a key: ios-agent key set"},
    {IA_E_USAGE, "the command line is wrong: read the hint"},
};

static void put_verbs(const struct ia_command *table, struct ia_buf *out)
{
    ia_buf_puts(out, "```\n");
    for (const struct ia_command *cmd = table; cmd->name; cmd++) {
        if (cmd->verb && !ia_command_hidden(cmd)) {
            struct ia_buf usage = IA_BUF(4096);
            ia_buf_printf(&usage, "ios-agent %s%s%s", cmd->name, cmd->operands ? " " : "",
                          cmd->operands ? cmd->operands : "");
            ia_buf_printf(out, "%-36s %s\n", ia_buf_cstr(&usage), cmd->summary);
            ia_buf_fini(&usage);
        }
    }
    ia_buf_puts(out, "```");
}

static void put_codes(struct ia_buf *out)
{
    ia_buf_puts(out, "| code | exit | what to do |\n|---|---|---|");
    for (size_t i = 0; i < IA_COUNTOF(todos); i++) {
        ia_buf_printf(out, "\n| %s | %d | %s |", ia_rc_name(todos[i].code),
                      ia_rc_exit(todos[i].code), todos[i].todo);
    }
}

/* Fills in a part; false where it is another's, as {{secret:PIN}} is. */
static bool put_part(const struct ia_command *table, struct ia_str name, struct ia_buf *out)
{
    if (ia_str_is(name, "version")) {
        ia_buf_puts(out, IA_VERSION);
    } else if (ia_str_is(name, "verbs")) {
        put_verbs(table, out);
    } else if (ia_str_is(name, "codes")) {
        put_codes(out);
    } else {
        return false;
    }
    return true;
}

void ia_docs_skill(const struct ia_command *table, const struct ia_embedded *text,
                   struct ia_buf *out)
{
    for (const char *p = text->data; *p != '\0';) {
        const char *end = strncmp(p, "{{", 2) == 0 ? strstr(p, "}}") : NULL;
        if (end && put_part(table, (struct ia_str){p + 2, (size_t)(end - p) - 2}, out)) {
            p = end + 2;
        } else {
            ia_buf_putc(out, *p++);
        }
    }
}

/* What its heading says behind the name of the program. */
static struct ia_str description(struct ia_str text)
{
    struct ia_str line = text;
    (void)ia_str_line(&text, &line);
    const char *colon = ia_str_find(line, ": ");
    size_t skip = colon ? (size_t)(colon - line.p) + 2 : 0;
    return (struct ia_str){line.p + skip, line.n - skip};
}

void ia_docs_skills(const struct ia_command *table, struct ia_jsonw *w)
{
    for (const struct ia_embedded *f = ia_docs_topics; f->name; f++) {
        struct ia_buf text = IA_BUF(IA_DOCS_BYTES_MAX);
        ia_docs_skill(table, f, &text);
        ia_jsonw_object(w);
        ia_jsonw_key(w, "name");
        ia_jsonw_str(w, (struct ia_str){f->name, strcspn(f->name, ".")});
        ia_jsonw_key(w, "description");
        ia_jsonw_str(w, description(ia_buf_str(&text)));
        ia_jsonw_kv(w, "version", IA_VERSION);
        ia_jsonw_key(w, "text");
        ia_jsonw_str(w, ia_buf_str(&text));
        ia_jsonw_end_object(w);
        ia_buf_fini(&text);
    }
}
