/* model.h: what a snapshot holds.
 *
 * Private to this folder and driver/session, which builds snapshots step by step and needs more
 * of an element than others do. Everybody else includes snapshot.h. */
#ifndef IA_DRIVER_SNAPSHOT_MODEL_H
#define IA_DRIVER_SNAPSHOT_MODEL_H

#include "driver/snapshot/arena.h"
#include "driver/snapshot/snapshot.h"

enum ia_side { IA_SIDE_NONE, IA_SIDE_BELOW, IA_SIDE_ABOVE, IA_SIDE_RIGHT, IA_SIDE_LEFT };

/* What is known of an element beyond its public part. Hashes are of folded text. */
struct ia_element_more {
    uint64_t self;   /* app, containers, role, identifier and, without one, label */
    uint64_t screen; /* which screen, 0 when it has no title; set by the registry */
    uint64_t before; /* the labelled elements around it, in tree order */
    uint64_t after;
    uint64_t question;  /* of an alert: hash of its texts, 0 for what is none */
    uint64_t place;     /* by the SDK's identifier (driver/app_sdk.h), 0 without one */
    uint32_t alike;     /* how many elements of the snapshot have the same self */
    struct ia_rect vis; /* what its containers and bars leave of its frame */
    int32_t scroll;     /* index of its scroll container's element, -1 the screen itself */
    uint8_t side;       /* enum ia_side: where it lies when it is off-screen */
    bool key;           /* belongs to the keyboard; stands in its line, unless a letter */
    bool letter;
    bool by_identifier; /* self was made from a unique identifier */
    bool asked;         /* inside an alert or action sheet */
    bool twin;          /* another element of the snapshot has the same self */
    bool
        housed; /* the row or group around it has a self of its own, which is a part of its own self */
    bool scrolls; /* inside a scroll container */
    bool outside; /* counted in an outside line */
    bool fixed;   /* in a tab bar or keyboard: the same on every screen of the app */
};

/* Lines of the text form, in order. */
enum ia_line_kind { IA_LINE_ELEMENT, IA_LINE_OUTSIDE };
struct ia_line {
    uint8_t kind;  /* enum ia_line_kind */
    int32_t index; /* into elements, or outsides */
};

/* What scrolling a container in one direction would show. */
enum { IA_OUTSIDE_NAMES = 3 };
struct ia_outside {
    int32_t scroll; /* element index of the container, -1 the screen */
    uint8_t side;
    bool named_scroll; /* the line says "in REF" */
    int32_t count;
    int32_t names[IA_OUTSIDE_NAMES]; /* element indexes, nearest first */
    int32_t name_count;
};

/* A part of the status bar. */
struct ia_status {
    const char *label, *value; /* as an element's */
};

struct ia_snapshot {
    struct ia_arena arena;
    int shares;         /* owners beside the first; see ia_snapshot_ref */
    const char *app;    /* bundle id or the app's name, NULL when unknown */
    const char *screen; /* title */
    double width, height;
    struct ia_element *elements;
    struct ia_element_more *more; /* same indexes */
    size_t count;
    struct ia_line *lines;
    size_t line_count;
    struct ia_outside *outsides;
    size_t outside_count;
    struct ia_status *status;
    size_t status_count;
    int32_t title;       /* element index of the heading in the header line, -1 */
    bool title_scrolls;  /* the title is content that scrolls away */
    int32_t back;        /* element index of what may be the back control, -1 */
    bool back_in_bar;    /* it stands in a navigation bar */
    bool mirrored;       /* written from right to left: what leads stands at the right */
    int32_t main_scroll; /* element index of the largest scroll container, -1 */
    int32_t keyboard;    /* element index, -1 */
    int32_t alert;       /* element index of the alert in front, -1 */
    struct ia_rect safe; /* the part of the screen that no bar and no keyboard covers */
    uint64_t layout, content, motion;
    bool modal; /* what is in front is an alert or a sheet, which a pull down may close */
    const char *app_state; /* of the SDK's element, NULL where there is none */
    size_t app_states;     /* how many such elements there are */
    size_t repaired;       /* characters that the tree could not give */
    bool truncated;
    const char *truncated_by; /* the reason, NULL when it is unknown */
};

/* ia_snapshot_new in two steps: a snapshot without refs, which is enough to see whether a
 * screen moves, and the naming of its elements. Only what is shown to anybody needs names. */
struct ia_snapshot *ia_snapshot_build(const struct ia_tree *t, double width_pt,
                                      double height_pt);
void ia_snapshot_adopt(struct ia_snapshot *s, struct ia_refs *refs);
/* Hash that also changes when a control moves: what settling waits for. */
uint64_t ia_snapshot_motion_hash(const struct ia_snapshot *s);
/* The element with that ref, or NULL. */
const struct ia_element *ia_snapshot_by_ref(const struct ia_snapshot *s, uint32_t ref);
/* Appends `12 button Log in` for the element at index i, with its keys for a keyboard. */
void ia_snapshot_line(const struct ia_snapshot *s, const struct ia_line *line,
                      struct ia_buf *out);
/* ":on,disabled"; nothing where there is no state. */
void ia_element_states(const struct ia_element *e, struct ia_buf *out);
void ia_snapshot_header(const struct ia_snapshot *s, struct ia_buf *out);

#endif
