/* question_prompt.h: the question of a run in the foreground, asked on its terminal.
 *
 * The answer goes into the store as that of `approve` and `deny` does (store/questions.h), so another person may give it
 * meanwhile, and a kill at any moment leaves the question as it is. */
#ifndef IA_CLI_FOREGROUND_QUESTION_PROMPT_H
#define IA_CLI_FOREGROUND_QUESTION_PROMPT_H

#include "base/cancel.h"
#include "store/questions.h"

struct ia_question_prompt {
    struct ia_store *store;   /* borrowed */
    struct ia_cancel *cancel; /* ends the prompt; may be NULL */
    int in, out;              /* the terminal */
};

/* Asks for y or n until the run's open question is answered, here or elsewhere, or was denied because it is too old. What was
 * typed before a prompt is dropped, and any other line asks again. *ret_answered is false where the token fired or the input
 * ended: the question stays open, and the terminal says how to answer it later. The store's errors. */
enum ia_rc ia_question_prompt(const struct ia_question_prompt *p, const char *run_id,
                              bool *ret_answered, struct ia_err *err);

#endif
