/* audit.h: what people who do not see or aim well would stumble over on a screen, as far as its tree
 * tells. Pure: no device, no clock.
 *
 * Rules go by structure, geometry and types; only label-is-role knows words, which are English.
 * What no tree tells (contrast, text size, order of focus) is not looked at. A screen without
 * findings is one in which these rules found nothing. */
#ifndef IA_DRIVER_SNAPSHOT_AUDIT_H
#define IA_DRIVER_SNAPSHOT_AUDIT_H

#include "driver/snapshot/arena.h"
#include "driver/snapshot/snapshot.h"

/* An error keeps somebody from using the element, a warning makes it hard, a notice is for a
 * person to judge. */
enum ia_audit_severity { IA_AUDIT_ERROR, IA_AUDIT_WARNING, IA_AUDIT_NOTICE };

/* X(enum, "id", "what to do") */
#define IA_AUDIT_RULES(X)                                                                      \
    X(LABEL_MISSING, "label-missing", "give it an accessibilityLabel that says what it does")  \
    X(LABEL_ROLE, "label-is-role", "leave the role out of the label: VoiceOver adds it")       \
    X(LABEL_NAME, "label-is-name",                                                             \
      "give it an accessibilityLabel for people, instead of the name of a file or symbol")     \
    X(LABEL_DUPLICATE, "label-duplicate", "say in each label what that one acts on")           \
    X(FIELD_LABEL, "field-label",                                                              \
      "give the field an accessibilityLabel: its placeholder goes when something is typed")    \
    X(IMAGE_LABEL, "image-label",                                                              \
      "describe the image in an accessibilityLabel, or hide it from accessibility if it only " \
      "decorates")                                                                             \
    X(TARGET_SMALL, "target-small",                                                            \
      "make the area that takes touches at least 44 by 44 points")                             \
    X(TARGET_OVERLAP, "target-overlap",                                                        \
      "move them apart: a touch where they overlap goes to the one in front")                  \
    X(DISABLED_AROUND, "disabled-around",                                                      \
      "disable it together with what holds it, or enable both: it is read as usable")

enum ia_audit_rule {
#define IA_AUDIT_ENUM(code, id, fix) IA_AUDIT_##code,
    IA_AUDIT_RULES(IA_AUDIT_ENUM)
#undef IA_AUDIT_ENUM
        IA_AUDIT_RULE_COUNT
};

struct ia_finding {
    uint8_t rule;        /* enum ia_audit_rule */
    uint8_t severity;    /* enum ia_audit_severity */
    uint32_t ref;        /* of its element; 0: it has none */
    const char *element; /* `12 button Close`, or what stands there */
    const char *message; /* what is wrong with it */
    struct ia_rect frame;
};

enum { IA_AUDIT_FINDINGS_MAX = 500 };
struct ia_audit {
    struct ia_finding *findings; /* gravest first, then in reading order */
    size_t count;
    size_t counts[3]; /* of each severity */
    size_t checked;   /* elements that the rules looked at */
    bool cut;         /* there are more */
    struct ia_arena arena;
};

/* Looks at what is on the screen now; s was built from t (its refs name the elements). Free with
 * ia_audit_fini. */
void ia_audit_run(const struct ia_snapshot *s, const struct ia_tree *t, struct ia_audit *ret);
void ia_audit_fini(struct ia_audit *a);

const char *ia_audit_rule_id(enum ia_audit_rule rule);
const char *ia_audit_fix(enum ia_audit_rule rule);
const char *ia_audit_severity_name(enum ia_audit_severity severity);

/* A line for each finding, `error label-missing: 12 button #close: has no label…`, the fix of a
 * rule under its first one, and a last line that counts. */
void ia_audit_text(const struct ia_audit *a, struct ia_buf *out);
/* {"errors","warnings","notices","checked","cut","findings":[{"rule","severity","ref","element",
 * "message","fix","frame":{"x","y","w","h"}}…]}; ref is null where there is none. */
void ia_audit_json(const struct ia_audit *a, struct ia_jsonw *w);

#endif
