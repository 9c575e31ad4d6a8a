/* html.h: the pages of an HTML report. Private to src/agent/report.
 *
 * A run alone is one page. A sweep is an overview and one page a goal, so that no page grows
 * with the sweep. All text of pages is in assets/.
 *
 *     html.c        the files, in which order
 *     html_page.c   the frame of a page, pictures, texts of figures
 *     html_sweep.c  the overview
 *     html_run.c    a goal's page: its runs
 *     html_steps.c  steps and film strips
 *     html_talk.c   transcripts
 *     html_eval.c   the page of an evaluation, beside the overview
 *     html_compare.c   two of them side by side */
#ifndef IA_AGENT_REPORT_HTML_H
#define IA_AGENT_REPORT_HTML_H

#include "agent/eval/eval.h"
#include "agent/report/escape.h"
#include "agent/report/model.h"
#include "agent/report/out.h"
#include "agent/report/tmpl.h"

enum {
    IA_HTML_STRIP_MAX = 200, /* pictures of one film strip */
    IA_HTML_LONG = 150       /* steps or goals beyond which only those in sight are laid out */
};
#define IA_HTML_PART_MAX ((size_t)8 << 20)

struct ia_site {
    const struct ia_rep *r;
    struct ia_report_done *done;
    char *root;       /* folder of pictures/ and goals/ */
    char *index;      /* path of the page to open */
    char *from_index; /* how the root is reached from it: "" or "NAME_files/", as a URL */
    char *to_index;   /* how it is reached from goals/, as a URL */
    uint64_t *known;  /* names of pictures that were looked at: an open hash */
    size_t known_count, known_cap;
};

/* A page on its way. */
struct ia_page {
    struct ia_site *site;
    struct ia_out out;
    const char *to_root; /* how the root is reached from it */
};

enum ia_rc ia_page_open(struct ia_page *p, struct ia_site *site, const char *path,
                        const char *to_root, const char *title, struct ia_err *err);
enum ia_rc ia_page_close(struct ia_page *p, enum ia_rc rc, struct ia_err *err);

/* Copies the picture beside the pages, once; appends how the page reaches it. False when it is
 * not in the store. */
bool ia_page_picture(struct ia_page *p, const char *sha, struct ia_buf *ret_src);
/* Appends the picture, or its place with a word about its loss; box may be NULL. */
struct ia_rep_step;
void ia_page_shot(struct ia_page *p, struct ia_buf *out, const struct ia_rep_picture *pic,
                  const char *caption, const struct ia_rep_step *box);

/* "goals/007.html" */
void ia_site_goal_href(const struct ia_rep_goal *g, struct ia_buf *out);

/* Writes eval.html into the root. */
enum ia_rc ia_html_eval(struct ia_site *site, const struct ia_eval *e, struct ia_err *err);
/* A line of its table. */
void ia_html_eval_sum(struct ia_buf *out, const char *name, const struct ia_eval_sum *s,
                      bool demo);
/* The class of a badge: "passed", … */
const char *ia_html_eval_state(enum ia_eval_kind kind);
enum ia_rc ia_html_sweep(struct ia_page *p, struct ia_err *err);
/* The goal's page from its header to the end of main. */
enum ia_rc ia_html_goal(struct ia_page *p, const struct ia_rep_goal *g, struct ia_err *err);
/* prefix: of the ids of steps, "r1-". */
enum ia_rc ia_html_steps(struct ia_page *p, const struct ia_rep_run *run, const char *prefix,
                         struct ia_err *err);
/* Appends thumbnails that lead to href#prefix… of their steps; "" for the page itself. Nothing
 * where there are no pictures. */
enum ia_rc ia_html_strip(struct ia_page *p, const struct ia_rep_run *run, const char *href,
                         const char *prefix, struct ia_buf *out, struct ia_err *err);
enum ia_rc ia_html_talk(struct ia_page *p, const struct ia_rep_run *run, struct ia_err *err);

/* Texts that several pages show; all appended. */
void ia_html_rate(const struct ia_rep_goal *g, struct ia_buf *out); /* "3 of 5 (23 to 88 %)" */
void ia_html_repeat(const struct ia_rep_goal *g, struct ia_buf *out); /* "2 of 5" */
/* The command that does it again, as markup: a narrow page breaks it between words, never inside an
 * option. */
void ia_html_command(const struct ia_rep *r, const struct ia_rep_goal *g,
                     const struct ia_rep_run *run, struct ia_buf *out);
void ia_html_tokens(int64_t in, int64_t cached, int64_t out_tokens, struct ia_buf *out);

#endif
