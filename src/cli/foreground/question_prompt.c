/* question_prompt.c: y or n on a terminal.
 *
 *     prompt ──► a line: y, n ──► store ──► answered
 *       ▲  └──► each second: expire, read the row ──► no longer open ──► answered
 *       │  └──► Ctrl-C, Ctrl-D ──► left open
 *       └─ any other line */
#include "cli/foreground/question_prompt.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/now.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 256, CHECK_US = 1000000 };

enum typed { TYPED_NOTHING, TYPED_YES, TYPED_NO, TYPED_OTHER, TYPED_END };

static void say(const struct ia_question_prompt *p, const char *text)
{
    (void)ia_write_all(p->out, text, strlen(text));
}

/* A terminal gives whole lines; a longer one is another answer than y or n, whatever its parts say. */
static enum typed read_line(const struct ia_question_prompt *p)
{
    char line[LINE_MAX_BYTES];
    ssize_t n = read(p->in, line, sizeof(line) - 1);
    if (n <= 0) {
        return TYPED_END;
    }
    if (line[n - 1] != '\n') {
        (void)tcflush(p->in, TCIFLUSH);
        return TYPED_OTHER;
    }
    line[n - 1] = '\0';
    if (strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0) {
        return TYPED_YES;
    }
    return strcasecmp(line, "n") == 0 || strcasecmp(line, "no") == 0 ? TYPED_NO : TYPED_OTHER;
}

static enum typed wait_line(const struct ia_question_prompt *p)
{
    struct pollfd in = {.fd = p->in, .events = POLLIN};
    int ready = 0;
    enum ia_rc rc = ia_cancel_poll(p->cancel, &in, 1, ia_now_mono_us() + CHECK_US, &ready);
    if (rc == IA_E_TIMEOUT) {
        return TYPED_NOTHING;
    }
    return rc == IA_OK ? read_line(p) : TYPED_END;
}

/* Of two answers at the same time one counts, and then this run goes on with the other. */
static enum ia_rc answer(const struct ia_question_prompt *p, const char *id, bool approve,
                         struct ia_err *err)
{
    enum ia_rc rc = ia_store_answer(p->store, id, approve, "terminal", NULL, err);
    return rc == IA_E_STATE ? IA_OK : rc;
}

static enum ia_rc is_open(const struct ia_question_prompt *p, const char *id, bool *ret,
                          struct ia_err *err)
{
    struct ia_question_row *now = NULL;
    enum ia_rc rc = ia_store_expire_questions(p->store, err);
    if (rc == IA_OK) {
        rc = ia_store_question(p->store, id, &now, err);
    }
    if (rc == IA_OK) {
        *ret = now->state == IA_QUESTION_OPEN;
        free(now);
    }
    return rc;
}

/* The end of an id, as its beginning is a time and alike in all that is asked within a minute. */
static void say_left(const struct ia_question_prompt *p, const char *id)
{
    struct ia_buf text = IA_BUF(512);
    const char *end = strlen(id) > 8 ? id + strlen(id) - 8 : id;
    ia_buf_printf(&text,
                  "\nThe question stays open: ios-agent approve %s or ios-agent deny %s\n", end,
                  end);
    say(p, ia_buf_cstr(&text));
    ia_buf_fini(&text);
}

static enum ia_rc ask(const struct ia_question_prompt *p, const char *id, bool *ret_answered,
                      struct ia_err *err)
{
    bool open = true;
    enum ia_rc rc = IA_OK;
    enum typed typed = TYPED_OTHER;
    while (rc == IA_OK && open && typed != TYPED_END) {
        if (typed == TYPED_OTHER) {
            (void)tcflush(p->in, TCIFLUSH);
            say(p, "Allow this once? [y/n] ");
        }
        typed = wait_line(p);
        if (typed == TYPED_YES || typed == TYPED_NO) {
            rc = answer(p, id, typed == TYPED_YES, err);
        }
        if (rc == IA_OK) {
            rc = is_open(p, id, &open, err);
        }
    }
    if (rc == IA_OK && open) {
        say_left(p, id);
    } else if (typed == TYPED_NOTHING) {
        say(p, "\n"); /* answered elsewhere, or too old */
    }
    *ret_answered = rc == IA_OK && !open;
    return rc;
}

enum ia_rc ia_question_prompt(const struct ia_question_prompt *p, const char *run_id,
                              bool *ret_answered, struct ia_err *err)
{
    struct ia_question_row *q = NULL;
    *ret_answered = false;
    enum ia_rc rc = ia_store_question_of(p->store, run_id, &q, err);
    if (rc == IA_OK && q) {
        rc = ask(p, q->id, ret_answered, err);
    }
    free(q);
    return rc;
}
