/* changes.h: planted changes, as a newer version of the apps would bring them: the apps work as before, but their
 * screens are built differently. They test how elements are found. Off by default.
 *
 *     changes=label:#add=New;hide:Delete Contact;late:4000
 *
 * A change is WORD[:WHAT[=TEXT]]; semicolons separate several. WHAT is #IDENTIFIER, .TYPE (an XCUIElementType, as
 * .Cell) or a label, each as before any change; it selects every view of the app in front that has it. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_CHANGES_H
#define IA_DRIVER_EMBEDDED_FAULT_CHANGES_H

#include "base/err.h"

/* X(name, word, whether it has a WHAT and a TEXT: '-' none, '?' may, '!' must, effect) */
#define IA_CHANGE_LIST(X)                                                                      \
    X(IA_CHANGE_LABEL, "label", '!', '!', "WHAT reads TEXT")                                   \
    X(IA_CHANGE_PLACEHOLDER, "placeholder", '!', '!', "while WHAT is empty it reads TEXT")     \
    X(IA_CHANGE_ID, "id", '!', '?', "WHAT has the identifier TEXT, or none")                   \
    X(IA_CHANGE_TYPE, "type", '!', '!', "WHAT is of the type TEXT")                            \
    X(IA_CHANGE_HIDE, "hide", '!', '-', "WHAT is gone; a row leaves no gap")                   \
    X(IA_CHANGE_DISABLE, "disable", '!', '-', "WHAT stays disabled")                           \
    X(IA_CHANGE_DEAD, "dead", '!', '-', "a touch of WHAT does nothing")                        \
    X(IA_CHANGE_MOVE, "move", '!', '!', "WHAT stands TEXT points away, as -300,0")             \
    X(IA_CHANGE_REVERSE, "reverse", '!', '-', "WHAT stand in reverse order")                   \
    X(IA_CHANGE_ROW, "row", '!', '!', "above WHAT is a row TEXT")                              \
    X(IA_CHANGE_TWIN, "twin", '!', '-', "above WHAT is another one like it")                   \
    X(IA_CHANGE_WRAP, "wrap", '!', '?', "around WHAT is a container TEXT")                     \
    X(IA_CHANGE_MORE, "more", '!', '!', "WHAT comes when the button TEXT is touched")          \
    X(IA_CHANGE_PAGE, "page", '!', '!', "a page WHAT with the button TEXT comes first")        \
    X(IA_CHANGE_DIALOG, "dialog", '!', '!', "a dialog WHAT with the button TEXT comes first")  \
    X(IA_CHANGE_CARD, "card", '!', '!',                                                        \
      "the same, of the app's own: the system sees no dialog")                                 \
    X(IA_CHANGE_LATE, "late", '!', '-', "lists of a new screen come WHAT ms after it")         \
    X(IA_CHANGE_ACCENTS, "accents", '-', '-', "every text is in another language")

enum ia_change_kind {
#define IA_CHANGE_ENUM(name, word, what, text, effect) name,
    IA_CHANGE_LIST(IA_CHANGE_ENUM)
#undef IA_CHANGE_ENUM
        IA_CHANGE_COUNT
};

enum { IA_CHANGES_MAX = 24, IA_CHANGES_BYTES_MAX = 1024, IA_CHANGE_NUMBER_MAX = 60000 };

struct ia_change {
    enum ia_change_kind kind;
    struct ia_str what, text;
    int32_t x, y; /* MOVE: points; LATE: ms in x */
};

struct ia_changes {
    int count;
    struct ia_change list[IA_CHANGES_MAX];
};

/* Reads a list; "none" and "" are empty. *ret borrows its texts from the list. IA_E_USAGE: the message names the
 * mistake. */
enum ia_rc ia_changes_parse(struct ia_str list, struct ia_changes *ret, struct ia_err *err);
/* The delay in ms of IA_CHANGE_LATE in a list that was checked; 0 if there is none, or no list. */
int32_t ia_changes_late_ms(const char *list);
/* One line for people. */
const char *ia_change_effect(enum ia_change_kind kind);

#endif
