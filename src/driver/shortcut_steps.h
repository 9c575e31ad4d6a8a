/* shortcut_steps.h: the steps of a shortcut that this program writes and the simulated phone runs.
 *
 * The identifiers are Apple's, as they stand in property lists that Shortcuts exports. */
#ifndef IA_DRIVER_SHORTCUT_STEPS_H
#define IA_DRIVER_SHORTCUT_STEPS_H

/* X(NAME, word, Apple's identifier of the action, what it does with the text that comes in) */
#define IA_SHORTCUT_STEP_LIST(X)                                                               \
    X(TEXT, "text", "is.workflow.actions.gettext", "gives its text; {input} is what came in")  \
    X(UPPERCASE, "uppercase", "is.workflow.actions.text.changecase", "makes it upper case")    \
    X(COUNT, "count", "is.workflow.actions.count", "counts its characters")                    \
    X(DATE, "date", "is.workflow.actions.date", "gives the day")                               \
    X(PASTE, "paste", "is.workflow.actions.getclipboard", "gives what is on the pasteboard")   \
    X(COPY, "copy", "is.workflow.actions.setclipboard", "puts it on the pasteboard")           \
    X(SHOW, "show", "is.workflow.actions.showresult", "shows it")                              \
    X(REMIND, "remind", "is.workflow.actions.addnewreminder", "adds a reminder of that title")

enum ia_shortcut_step_kind {
#define IA_SHORTCUT_STEP_ENUM(name, word, ident, what) IA_STEP_##name,
    IA_SHORTCUT_STEP_LIST(IA_SHORTCUT_STEP_ENUM)
#undef IA_SHORTCUT_STEP_ENUM
        IA_STEP_KINDS
};
/* In a text: what came in. */
#define IA_SHORTCUT_INPUT "{input}"
enum { IA_SHORTCUT_STEPS_MAX = 8, IA_SHORTCUT_TEXT_MAX = 1000 };

#endif
