/* skill show [TOPIC], skill install [DIR]: what coding agents read of this program. What is installed is
 * a short file that has the agent call `skill show`, so that what it reads is of the installed build. */
#include "base/clean.h"
#include "base/fd.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/docs/docs.h"
#include "cli/init/project.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum ia_rc unknown_topic(const char *topic, struct ia_err *err)
{
    struct ia_buf known = IA_BUF(256);
    for (const struct ia_embedded *f = ia_docs_topics; f->name; f++) {
        ia_buf_printf(&known, "%s%.*s", known.len > 0 ? ", " : "", (int)strcspn(f->name, "."),
                      f->name);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "no topic \"%s\"", topic);
    ia_err_hint(err, "the topics are %s", ia_buf_cstr(&known));
    ia_buf_fini(&known);
    return rc;
}

enum ia_rc ia_cmd_skill_show(struct ia_cli *c, struct ia_err *err)
{
    const char *topic = ia_args_operand(&c->args, 0);
    struct ia_buf file = IA_BUF(1024);
    ia_buf_printf(&file, "%s.md", topic ? topic : "core");
    const struct ia_embedded *text = ia_embedded_find(ia_docs_topics, ia_buf_cstr(&file));
    ia_buf_fini(&file);
    if (!text) {
        return unknown_topic(topic, err);
    }
    c->verbatim = true;
    ia_docs_skill(c->commands, text, &c->text);
    return IA_OK;
}

/* ---- install ----------------------------------------------------------------------------- */

struct install {
    struct ia_cli *c;
    char *root;         /* is opened as it is */
    struct ia_buf path; /* below it, through no link */
};

/* A project: DIR/.claude/skills/…. A user: ~/.claude/skills may be a link of the user's own. */
static enum ia_rc place(struct install *in, struct ia_err *err)
{
    const char *folder = ia_args_operand(&in->c->args, 0);
    const char *skills =
        ia_args_has(&in->c->args, "agents") ? ".agents/skills" : ".claude/skills";
    if (folder || ia_args_has(&in->c->args, "project")) {
        in->root = ia_strdup(folder ? folder : ".");
        ia_buf_printf(&in->path, "%s/ios-agent/SKILL.md", skills);
        return IA_OK;
    }
    const char *home = ia_env_get(NULL, "HOME");
    if (!home || home[0] != '/') {
        enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "this user has no home folder");
        ia_err_hint(err, "set HOME, or use --project");
        return rc;
    }
    in->root = ia_path_join(home, skills);
    ia_buf_puts(&in->path, "ios-agent/SKILL.md");
    return ia_mkdirs(in->root, err);
}

static enum ia_rc write_stub(struct install *in, enum ia_project_state *ret, struct ia_err *err)
{
    const struct ia_embedded *stub = ia_embedded_find(ia_docs_stub, "SKILL.md");
    int fd = -1;
    enum ia_rc rc = ia_project_open(in->root, &fd, err);
    if (rc == IA_OK) {
        rc = ia_project_write(fd, ia_buf_cstr(&in->path),
                              (struct ia_str){stub->data, stub->size},
                              ia_args_has(&in->c->args, "force"), ret, err);
        (void)close(fd);
    }
    if (rc == IA_OK && *ret == IA_PROJECT_LEFT) {
        rc = ia_err_set(err, IA_E_EXISTS, "%s/%s exists with different content", in->root,
                        ia_buf_cstr(&in->path));
        ia_err_hint(err, "--force replaces it");
    }
    return rc;
}

enum ia_rc ia_cmd_skill_install(struct ia_cli *c, struct ia_err *err)
{
    struct install in = {.c = c, .path = IA_BUF(256)};
    enum ia_project_state state = IA_PROJECT_CREATED;
    enum ia_rc rc = place(&in, err);
    rc = rc == IA_OK ? write_stub(&in, &state, err) : rc;
    if (rc == IA_OK) {
        char *path = ia_path_join(in.root, ia_buf_cstr(&in.path));
        ia_buf_printf(&c->text, "%-10s", ia_project_state_name(state));
        ia_clean(&c->text, ia_str(path), IA_CLEAN_LINE);
        ia_buf_putc(&c->text, '\n');
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "path", path);
        ia_jsonw_kv(&c->w, "state", ia_project_state_name(state));
        ia_jsonw_end_object(&c->w);
        free(path);
    }
    ia_buf_fini(&in.path);
    free(in.root);
    return rc;
}
