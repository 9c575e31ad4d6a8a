/* made.h: a screen that a test makes behind the server, and a device that keeps what it was told. */
#ifndef IA_TESTS_UNIT_SERVER_WDA_MADE_H
#define IA_TESTS_UNIT_SERVER_WDA_MADE_H

#include "served.h"

struct made;
typedef void made_fill(const struct made *m, struct ia_tree *t, struct ia_node *window);

enum { MADE_LOG_SIZE = 4096 };
#define MADE_APP "com.example.made"

struct made {
    struct served s;
    made_fill *fill;         /* what is in the window, at 0,0 393x852, of the app MADE_APP */
    int n;                   /* fill's */
    int effects;             /* that were done */
    int most;                /* the one after these fails and sends nothing; 0: none fails */
    char log[MADE_LOG_SIZE]; /* the effects: "tap 1,2; press 0; " */
};

/* Serves it, with a session that has no app. Close m->s. */
void made_open(struct made *m, made_fill *fill, int n);
struct ia_node *made_add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                         struct ia_rect frame, const char *label);
/* The id of the element with that name. */
void made_find(struct made *m, const char *name, char ret_uid[64]);

struct made_row {
    const char *method;
    const char *path; /* in the session; "E(name)" is an element's id */
    const char *body; /* NULL: none */
    int status;
    const char *text; /* in the answer's value */
    const char *log;  /* what the device is told for that */
};
void made_check(struct made *m, const struct made_row *row);
void made_check_all(struct made *m, const struct made_row *rows, size_t n);
/* The rows in a session of their own, over the app that fill builds. */
void made_run(made_fill *fill, int n, const struct made_row *rows, size_t count);

#endif
