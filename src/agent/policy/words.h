/* words.h: tables of words by language (words.json, orders.json), folded once. Private to agent/policy. */
#ifndef IA_AGENT_POLICY_WORDS_H
#define IA_AGENT_POLICY_WORDS_H

#include "base/buf.h"

/* The lists of words.json, in the order of this table. */
#define IA_WORDS_LIST(X)                                                                       \
    X(BUY, "buy")                                                                              \
    X(SEND, "send")                                                                            \
    X(DELETE, "delete")                                                                        \
    X(PERMISSION, "permission")                                                                \
    X(CANCEL, "cancel")                                                                        \
    X(SETTING, "permission_setting")                                                           \
    X(SYMBOL_BUY, "symbols.buy")                                                               \
    X(SYMBOL_SEND, "symbols.send")                                                             \
    X(SYMBOL_DELETE, "symbols.delete")                                                         \
    X(ORDER, "orders.order")                                                                   \
    X(NAMES_AI, "orders.names_ai")                                                             \
    X(COMMAND, "orders.command")                                                               \
    X(MARKUP, "orders.markup")
enum ia_words {
#define IA_WORDS_ENUM(id, name) IA_WORDS_##id,
    IA_WORDS_LIST(IA_WORDS_ENUM)
#undef IA_WORDS_ENUM
        IA_WORDS_COUNT
};

/* The folded texts of a list, NULL-ended; an empty list where the table is damaged (a test reads it). Read
 * once in a process. */
const char *const *ia_words(enum ia_words list);

/* Whether the folded text has the folded words. Letters of alphabets count only as whole words; scripts
 * without spaces (Han, kana, Hangul, Thai …) anywhere. starts: only where the text begins with them. */
bool ia_words_in(const char *text, const char *words, bool starts);
/* Whether it has any of the list's. */
const char *ia_words_any(enum ia_words list, const char *text, bool starts);
/* How many words a folded text has; a letter of a script without spaces is half a word. */
int ia_words_count(const char *text);

#endif
