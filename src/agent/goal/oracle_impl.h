/* oracle_impl.h: a rule of an oracle, read. Private to src/agent/goal.
 *
 *     oracle_read.c    from texts to rules; whether a phone's state has what their paths name
 *     oracle.c         rules against two states */
#ifndef IA_AGENT_GOAL_ORACLE_IMPL_H
#define IA_AGENT_GOAL_ORACLE_IMPL_H

#include "agent/goal/oracle.h"

#include <jansson.h>

enum { IA_ORACLE_STEPS_MAX = 6 };
enum ia_oracle_op {
    IA_ORACLE_IS,
    IA_ORACLE_HAS,
    IA_ORACLE_GONE,
    IA_ORACLE_COUNT,
    IA_ORACLE_SAME,
    IA_ORACLE_FREE,
    IA_ORACLE_ANSWER,
    IA_ORACLE_SEEN,
    IA_ORACLE_OPS
};

/* NAME, or NAME[field=text] */
struct ia_oracle_step {
    struct ia_str key, field, text;
    bool part; /* ~= */
};

struct ia_oracle_path {
    struct ia_oracle_step steps[IA_ORACLE_STEPS_MAX];
    size_t n;
    struct ia_str all;
    struct ia_str base; /* up to its first choice: the part of the state that it is about */
};

struct ia_oracle_rule {
    enum ia_oracle_op op;
    struct ia_oracle_path path;
    json_t *value;              /* or, where that is NULL, what was at from */
    bool day;                   /* value is a number of days */
    struct ia_oracle_path from; /* n 0: none */
    double plus;                /* to what was there */
};

/* The rule borrows from the text. IA_E_PARSE. Free with ia_oracle_rule_fini, whatever it returns. */
enum ia_rc ia_oracle_read(const char *text, struct ia_oracle_rule *r, struct ia_err *err);
void ia_oracle_rule_fini(struct ia_oracle_rule *r);
/* A string of one byte at least. */
bool ia_oracle_is_text(const json_t *v);

#endif
