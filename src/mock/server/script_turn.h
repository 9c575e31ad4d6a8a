/* script_turn.h: a parsed script, shared by script.c (reading) and script_answer.c (answering). */
#ifndef IA_MOCK_SERVER_SCRIPT_TURN_H
#define IA_MOCK_SERVER_SCRIPT_TURN_H

#include "mock/server/script.h"

struct ia_script_turn {
    const json_t *json;  /* borrowed from the script's root */
    const json_t *match; /* NULL: the turn stands for places first..last of the sequence */
    int64_t first, last;
};

struct ia_script {
    json_t *root;
    struct ia_script_turn *turns;
    size_t count;
    struct ia_script_turn fallback; /* json is NULL when there is none */
};

#endif
