/* lex.h: the words of a predicate. */
#ifndef IA_SERVER_WDA_SELECT_LEX_H
#define IA_SERVER_WDA_SELECT_LEX_H

#include "base/buf.h"
#include "server/wda/select/compare.h"

enum ia_wda_token_kind {
    IA_WDA_T_END,
    IA_WDA_T_BAD, /* no word of this language */
    IA_WDA_T_TEXT,
    IA_WDA_T_NUMBER,
    IA_WDA_T_TRUTH,
    IA_WDA_T_NULL,
    IA_WDA_T_KEY,    /* a.b.c */
    IA_WDA_T_ALWAYS, /* TRUEPREDICATE, FALSEPREDICATE */
    IA_WDA_T_AND,
    IA_WDA_T_OR,
    IA_WDA_T_NOT,
    IA_WDA_T_OPEN,
    IA_WDA_T_CLOSE,
    IA_WDA_T_BRACE,
    IA_WDA_T_UNBRACE,
    IA_WDA_T_COMMA,
    IA_WDA_T_OP
};

struct ia_wda_token {
    enum ia_wda_token_kind kind;
    enum ia_wda_op op;
    bool truth;
    double number;
    struct ia_str source; /* as it stands there; of a text without its quotes */
};

/* Reads the token at *at and goes behind it. */
struct ia_wda_token ia_wda_lex(struct ia_str text, size_t *at);
/* Reads "[cd]", if it comes next: false when there is another letter in it. */
bool ia_wda_lex_options(struct ia_str text, size_t *at, bool *ret_no_case, bool *ret_no_marks);
/* What a text stands for, its backslashes resolved. */
void ia_wda_unescape(struct ia_buf *out, struct ia_str source);

#endif
