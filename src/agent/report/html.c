/* html.c: an HTML report as files.
 *
 *     a run                FOLDER/index.html                     FOLDER/pictures/
 *     a sweep              FOLDER/index.html  FOLDER/goals/NNN.html  FOLDER/pictures/
 *     named NAME.html      NAME.html          NAME_files/ with the rest
 *
 * The page that people open is written last, when everything that it links to exists. */
#include "agent/report/html.h"

#include "base/fd.h"
#include "base/paths.h"

#include <stdlib.h>
#include <string.h>

/* ---- the site ---------------------------------------------------------------------------- */

static bool ends_in_html(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".html") == 0;
}

/* "out/r.html" keeps its other files in "out/r_files", which it reaches as "r_files/". */
static void place_file(struct ia_site *s, const char *path)
{
    struct ia_buf root = IA_BUF(1 << 16), from = IA_BUF(1 << 16), to = IA_BUF(1 << 16);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    ia_buf_put(&root, path, strlen(path) - 5);
    ia_buf_puts(&root, "_files");
    ia_esc_url_path(&from, (struct ia_str){name, strlen(name) - 5});
    ia_buf_puts(&from, "_files/");
    /* Up from NAME_files/goals/. */
    ia_buf_puts(&to, "../../");
    ia_esc_url_path(&to, ia_str(name));
    s->root = ia_buf_steal(&root);
    s->from_index = ia_buf_steal(&from);
    s->to_index = ia_buf_steal(&to);
    s->index = ia_strdup(path);
}

static void place(struct ia_site *s, const char *path)
{
    if (ends_in_html(path)) {
        place_file(s, path);
        return;
    }
    s->root = ia_strdup(path);
    s->index = ia_path_join(path, "index.html");
    s->from_index = ia_strdup("");
    s->to_index = ia_strdup("../index.html");
}

static enum ia_rc make_folders(const struct ia_site *s, struct ia_err *err)
{
    char *pictures = ia_path_join(s->root, "pictures"), *goals = ia_path_join(s->root, "goals");
    enum ia_rc rc = ia_mkdirs(pictures, err);
    if (rc == IA_OK && s->r->sweep) {
        rc = ia_mkdirs(goals, err);
    }
    free(pictures);
    free(goals);
    return rc;
}

static enum ia_rc write_goal_page(struct ia_site *s, const struct ia_rep_goal *g,
                                  struct ia_err *err)
{
    struct ia_buf path = IA_BUF(1 << 16);
    struct ia_page page;
    ia_buf_printf(&path, "%s/", s->root);
    ia_site_goal_href(g, &path);
    enum ia_rc rc = ia_page_open(&page, s, ia_buf_cstr(&path), "../", g->name, err);
    if (rc == IA_OK) {
        rc = ia_page_close(&page, ia_html_goal(&page, g, err), err);
    }
    ia_buf_fini(&path);
    return rc;
}

static enum ia_rc write_pages(struct ia_site *s, struct ia_err *err)
{
    struct ia_page page;
    enum ia_rc rc = IA_OK;
    /* Goal pages first; a run alone has none. */
    for (size_t i = 0; s->r->sweep && rc == IA_OK && i < s->r->goal_count; i++) {
        rc = write_goal_page(s, &s->r->goals[i], err);
    }
    if (rc == IA_OK && s->r->eval) {
        rc = ia_html_eval(s, s->r->eval, err);
    }
    if (rc == IA_OK) {
        rc = ia_page_open(&page, s, s->index, s->from_index, s->r->title, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    rc = s->r->sweep ? ia_html_sweep(&page, err) : ia_html_goal(&page, &s->r->goals[0], err);
    return ia_page_close(&page, rc, err);
}

enum ia_rc ia_rep_html(const struct ia_rep *r, const char *path, struct ia_report_done *ret,
                       struct ia_err *err)
{
    struct ia_site s = {.r = r, .done = ret};
    place(&s, path);
    enum ia_rc rc = make_folders(&s, err);
    if (rc == IA_OK) {
        rc = write_pages(&s, err);
    }
    if (rc == IA_OK) {
        ret->path = ia_strdup(s.index);
    }
    free(s.root);
    free(s.index);
    free(s.from_index);
    free(s.to_index);
    free(s.known);
    return rc;
}
