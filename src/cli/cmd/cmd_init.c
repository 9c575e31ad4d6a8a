/* init [DIR]: the first files of a project: configuration, a goal that passes as it is, a CI workflow,
 * a line for coding agents. What is there already stays; running it again changes nothing. */
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/init/project.h"

#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 8, COMMAND_MAX = 16384 };

struct init {
    struct ia_cli *c;
    const char *folder; /* as it was given */
    int fd;
    struct {
        const char *path;
        enum ia_project_state state;
        const char *todo; /* what to do about one that was left; NULL: nothing */
    } files[FILES_MAX];
    size_t count;
};

static const char include_ci[] = "add to it:  include: [{local: .gitlab/ios-agent.yml}]";
static const char add_line[] = "add the line that ios-agent init --json prints as \"agents\"";

static struct ia_str text_of(const char *name)
{
    const struct ia_embedded *f = ia_embedded_find(ia_project_files, name);
    return (struct ia_str){f->data, f->size};
}

static void note(struct init *in, const char *path, enum ia_project_state state,
                 const char *todo)
{
    in->files[in->count].path = path;
    in->files[in->count].todo = state == IA_PROJECT_LEFT ? todo : NULL;
    in->files[in->count++].state = state;
}

static enum ia_rc write_file(struct init *in, const char *path, const char *name,
                             struct ia_err *err)
{
    enum ia_project_state state = IA_PROJECT_LEFT;
    bool force = ia_args_has(&in->c->args, "force");
    enum ia_rc rc = ia_project_write(in->fd, path, text_of(name), force, &state, err);
    if (rc == IA_OK) {
        note(in, path, state, "--force replaces it");
    }
    return rc;
}

/* Never replaced: it is the project's. */
static enum ia_rc write_gitlab_include(struct init *in, struct ia_err *err)
{
    static const char path[] = ".gitlab-ci.yml";
    enum ia_project_state state = IA_PROJECT_UNCHANGED;
    enum ia_rc rc = IA_OK;
    if (!ia_project_says(in->fd, path, ".gitlab/ios-agent.yml")) {
        rc = ia_project_write(in->fd, path, text_of("gitlab-ci.yml"), false, &state, err);
    }
    if (rc == IA_OK) {
        note(in, path, state, include_ci);
    }
    return rc;
}

/* "github", "gitlab" or "none": what was asked for, else what the folder has. */
static const char *ci_of(const struct init *in)
{
    const char *asked = ia_args_text(&in->c->args, "ci");
    bool gitlab = ia_project_has(in->fd, ".gitlab-ci.yml") ||
                  ia_project_says(in->fd, ".git/config", "gitlab");
    bool github = ia_project_has(in->fd, ".github") ||
                  ia_project_says(in->fd, ".git/config", "github.com");
    return asked ? asked : github ? "github" : gitlab ? "gitlab" : "none";
}

static enum ia_rc write_ci(struct init *in, struct ia_err *err)
{
    const char *ci = ci_of(in);
    if (strcmp(ci, "github") == 0) {
        return write_file(in, ".github/workflows/ios-agent.yml", "github.yml", err);
    }
    enum ia_rc rc = IA_OK;
    if (strcmp(ci, "gitlab") == 0) {
        rc = write_file(in, ".gitlab/ios-agent.yml", "gitlab.yml", err);
        rc = rc == IA_OK ? write_gitlab_include(in, err) : rc;
    }
    return rc;
}

static enum ia_rc write_all(struct init *in, struct ia_err *err)
{
    enum ia_project_state state = IA_PROJECT_LEFT;
    enum ia_rc rc = write_file(in, "ios-agent.toml", "ios-agent.toml", err);
    if (rc == IA_OK) {
        rc = write_file(in, "goals/first.toml", "first.toml", err);
    }
    if (rc == IA_OK) {
        rc = write_ci(in, err);
    }
    if (rc == IA_OK) {
        rc = ia_project_append(in->fd, "AGENTS.md", text_of("agents.md"), "<!-- ios-agent -->",
                               &state, err);
    }
    if (rc == IA_OK) {
        note(in, "AGENTS.md", state, add_line);
    }
    return rc;
}

/* ---- what to do next --------------------------------------------------------------------- */

/* As one word of a shell. */
static void put_word(struct ia_buf *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_@%+:,./-";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        ia_buf_puts(out, word);
        return;
    }
    ia_buf_putc(out, '\'');
    for (; *word != '\0'; word++) {
        ia_buf_puts(out, *word == '\'' ? "'\\'" : "");
        ia_buf_putc(out, *word);
    }
    ia_buf_putc(out, '\'');
}

static void put_next(struct init *in)
{
    static const char *const next[] = {"ios-agent doctor", "ios-agent sweep goals",
                                       "ios-agent report last"};
    struct ia_cli *c = in->c;
    struct ia_buf cd = IA_BUF(COMMAND_MAX);
    ia_buf_puts(&c->text, "next:\n");
    ia_jsonw_key(&c->w, "next");
    ia_jsonw_array(&c->w);
    if (strcmp(in->folder, ".") != 0) {
        ia_buf_puts(&cd, "cd -- ");
        put_word(&cd, in->folder);
        ia_buf_puts(&c->text, "  ");
        ia_clean(&c->text, ia_buf_str(&cd), IA_CLEAN_LINE);
        ia_buf_putc(&c->text, '\n');
        ia_jsonw_string(&c->w, ia_buf_cstr(&cd));
    }
    for (size_t i = 0; i < IA_COUNTOF(next); i++) {
        ia_buf_printf(&c->text, "  %s\n", next[i]);
        ia_jsonw_string(&c->w, next[i]);
    }
    ia_jsonw_end_array(&c->w);
    ia_buf_fini(&cd);
}

static void put_result(struct init *in)
{
    struct ia_cli *c = in->c;
    const char *ci = ci_of(in);
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "files");
    ia_jsonw_array(&c->w);
    for (size_t i = 0; i < in->count; i++) {
        const char *state = ia_project_state_name(in->files[i].state);
        const char *todo = in->files[i].todo;
        ia_buf_printf(&c->text, "%-10s%s%s%s\n", state, in->files[i].path, todo ? "; " : "",
                      todo ? todo : "");
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "path", in->files[i].path);
        ia_jsonw_kv(&c->w, "state", state);
        ia_jsonw_kv(&c->w, "todo", todo);
        ia_jsonw_end_object(&c->w);
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_kv(&c->w, "ci", ci);
    ia_jsonw_key(&c->w, "agents");
    ia_jsonw_str(&c->w, text_of("agents.md"));
    if (strcmp(ci, "none") == 0) {
        ia_buf_puts(&c->text, "no CI workflow: --ci github or --ci gitlab writes one\n");
    }
    put_next(in);
    ia_jsonw_end_object(&c->w);
}

enum ia_rc ia_cmd_init(struct ia_cli *c, struct ia_err *err)
{
    const char *folder = ia_args_operand(&c->args, 0);
    struct init in = {.c = c, .folder = folder ? folder : ".", .fd = -1};
    enum ia_rc rc = ia_project_open(in.folder, &in.fd, err);
    if (rc == IA_OK) {
        rc = write_all(&in, err);
    }
    if (rc == IA_OK) {
        put_result(&in);
    }
    if (in.fd >= 0) {
        (void)close(in.fd);
    }
    return rc;
}
