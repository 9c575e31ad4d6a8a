/* phone.h: a simulated phone in a home of its own, and command lines that are tried on it in order. */
#ifndef IA_TESTS_UNIT_SERVER_VERBS_PHONE_H
#define IA_TESTS_UNIT_SERVER_VERBS_PHONE_H

#include "tmpdir.h"

#include "server/verbs/verbs.h"

enum { ROW_WORDS = 8 };

/* A command line and what comes of it. "%row Wi-Fi" in a word, behind "", "@", "e" or "@e", is the ref
 * of the line that was printed last with these words. Every text that is given must be contained. */
struct row {
    const char *words[ROW_WORDS]; /* the verb first */
    enum ia_rc code;
    const char *says, *json; /* of a success */
    const char *msg, *hint;  /* of a refusal */
    const char *never;       /* contained in none of them */
};

struct phone {
    char *home;
    struct ia_paths paths;
    struct ia_hub *hub;
    struct ia_buf seen; /* all that was printed */
    const char *session;
};

int phone_begin(void **state);
int phone_end(void **state);
void phone_try(struct phone *p, const struct row *row);
/* Tries them in order. */
void phone_script(struct phone *p, const struct row *rows, size_t n);

#endif
