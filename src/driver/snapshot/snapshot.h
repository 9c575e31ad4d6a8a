/* snapshot.h: what the model sees. A canonical tree becomes a short list of elements with refs,
 * roles, states, valid actions and activation points.
 *
 * A struct ia_refs lives as long as a session with one device and gives out refs: the same
 * element keeps its ref across snapshots, and a ref is never given to another element.
 * A snapshot is immutable and owns copies of its strings; it may outlive the tree. Not
 * thread-safe except for reading. build.h lists the passes, each with its rules in its file.
 *
 * The text form, one line an element in reading order, chosen to cost few tokens:
 *
 *     com.apple.Preferences 402x874 #3fa2: Settings
 *     3 search:focused Search = wi
 *     12 switch:on Airplane Mode
 *     13 row Wi-Fi, Not Connected
 *     14 button:disabled Edit
 *     15 slider Brightness = 50%
 *     +23 below: Privacy, Battery, General, …
 *     40 keyboard 41 shift, 42 delete, 43 numbers, 44 space, 45 return
 *
 *     text     = header LF *( line LF )
 *     header   = app SP width "x" height SP "#" 4HEXDIG [SP "truncated"] [SP "repaired"] [":" SP phrase]
 *     line     = element / keyboard / outside / dropped
 *     element  = ref SP role [":" state *("," state)] [SP phrase / SP "#" phrase] [SP "=" SP phrase]
 *                [SP "+" count SP "characters: read ref" SP ref]
 *     keyboard = ref SP "keyboard" [SP key *("," SP key)]     ; letters are not named
 *     key      = ref SP phrase
 *     outside  = "+" count SP ("below" / "above" / "left" / "right") [SP "in" SP ref]
 *                [":" SP name *("," SP name) ["," SP "…"]]    ; what scrolling would show
 *     dropped  = "(+" count SP "left out: text limit)"        ; always the last line
 *     ref      = 1*DIGIT                                      ; tools take 12, e12 or @e12
 *     state    = "on" / "off" / "mixed" / "selected" / "disabled" / "focused"
 *
 * The header's phrase is the screen's title, the first phrase of an element is its label (or
 * placeholder) and the one after "=" its value; "#" marks the developer's identifier, which
 * stands only where there is neither and which nobody sees on the screen. "repaired": characters
 * that could not be read are U+FFFD. app is the bundle id (or the app's name), "-" when unknown. A
 * phrase is text on one line: every run of white space and control characters is one space,
 * invisible and direction-changing characters are left out. Beyond IA_PHRASE_BYTES it is cut with
 * "…", after which follows what in the rest has numbers, and the line ends with how many
 * characters the rest has; those of an element are read by its ref. It is written plainly, or between double quotes with \" and \\ where it
 * begins with a quote or # or holds a word that is just "=" (and in keys and the header's app, a
 * comma or space). So no text on a screen can look like another line, a state or a value. */
#ifndef IA_DRIVER_SNAPSHOT_SNAPSHOT_H
#define IA_DRIVER_SNAPSHOT_SNAPSHOT_H

#include "base/buf.h"
#include "base/jsonw.h"
#include "driver/tree.h"

/* X(enum, "name in the text form") */
#define IA_ROLE_LIST(X)                                                                        \
    X(IA_ROLE_OTHER, "other")                                                                  \
    X(IA_ROLE_BUTTON, "button")                                                                \
    X(IA_ROLE_LINK, "link")                                                                    \
    X(IA_ROLE_TEXT, "text")                                                                    \
    X(IA_ROLE_HEADING, "heading")                                                              \
    X(IA_ROLE_FIELD, "field")                                                                  \
    X(IA_ROLE_SECURE, "password")                                                              \
    X(IA_ROLE_SEARCH, "search")                                                                \
    X(IA_ROLE_SWITCH, "switch")                                                                \
    X(IA_ROLE_CHECKBOX, "checkbox")                                                            \
    X(IA_ROLE_RADIO, "radio")                                                                  \
    X(IA_ROLE_SLIDER, "slider")                                                                \
    X(IA_ROLE_STEPPER, "stepper")                                                              \
    X(IA_ROLE_PICKER, "picker")                                                                \
    X(IA_ROLE_SEGMENT, "segment")                                                              \
    X(IA_ROLE_TAB, "tab")                                                                      \
    X(IA_ROLE_MENU_ITEM, "menu-item")                                                          \
    X(IA_ROLE_ROW, "row")                                                                      \
    X(IA_ROLE_IMAGE, "image")                                                                  \
    X(IA_ROLE_ICON, "icon")                                                                    \
    X(IA_ROLE_LIST, "list")                                                                    \
    X(IA_ROLE_SCROLL, "scroll")                                                                \
    X(IA_ROLE_ALERT, "alert")                                                                  \
    X(IA_ROLE_SHEET, "sheet")                                                                  \
    X(IA_ROLE_KEYBOARD, "keyboard")                                                            \
    X(IA_ROLE_KEY, "key")                                                                      \
    X(IA_ROLE_PROGRESS, "progress")                                                            \
    X(IA_ROLE_WEB, "web")

enum ia_role {
#define IA_ROLE_ENUM(code, name) code,
    IA_ROLE_LIST(IA_ROLE_ENUM)
#undef IA_ROLE_ENUM
        IA_ROLE_COUNT
};

/* True for what text is typed into. */
static inline bool ia_role_is_field(int role)
{
    return role == IA_ROLE_FIELD || role == IA_ROLE_SECURE || role == IA_ROLE_SEARCH;
}

/* Valid actions of an element, now. A new one also needs: the roles that allow it (reach.c,
 * actions_of), its name in the JSON form (forms.c), and its word in a refusal (resolve.c,
 * action_name). */
enum {
    IA_ACT_TAP = 1 << 0,
    IA_ACT_LONG_PRESS = 1 << 1,
    IA_ACT_TYPE = 1 << 2,  /* type_text, clear_text */
    IA_ACT_SWIPE = 1 << 3, /* swipe inside, scroll */
    IA_ACT_ADJUST = 1 << 4
};

enum ia_tristate { IA_UNSET, IA_OFF, IA_ON, IA_MIXED };

/* Why an element cannot be acted on now. */
enum ia_reach { IA_REACH_OK, IA_REACH_OFFSCREEN, IA_REACH_COVERED, IA_REACH_DISABLED };

struct ia_element {
    uint32_t ref;  /* 12; 0 for what was never shown (off-screen, folded away) */
    uint8_t role;  /* enum ia_role */
    uint8_t on;    /* enum ia_tristate: switch, checkbox, radio */
    uint8_t reach; /* enum ia_reach */
    bool selected, disabled, focused, listed; /* listed: stands in the text form, the
                                                 title in its header line */
    uint16_t actions;                         /* IA_ACT_* */
    uint16_t type;                            /* enum ia_eltype of the node it stands for */
    const char *label; /* folded text of the element; NULL when it has none */
    const char *value;
    const char *placeholder;
    const char *identifier;
    struct ia_rect frame;
    struct ia_point activation; /* with IA_ACT_TAP a free point inside the frame and the
                                   viewport; without it, not promised to be free */
    int32_t parent;             /* index of the containing element, -1 at the top */
};

struct ia_snapshot;
struct ia_refs;

struct ia_refs *ia_refs_new(void);
void ia_refs_free(struct ia_refs *r);

/* Builds a snapshot; never fails on a tree that was delivered (an empty one gives no elements).
 * width and height are the screen in points, 0 to take them from the root's frame. */
struct ia_snapshot *ia_snapshot_new(const struct ia_tree *t, struct ia_refs *refs,
                                    double width_pt, double height_pt);
/* Another owner of the same snapshot (not counted atomically: owners share a thread). */
struct ia_snapshot *ia_snapshot_ref(const struct ia_snapshot *s);
/* Gives up one ownership; the last one frees. NULL is fine. */
void ia_snapshot_free(struct ia_snapshot *s);

size_t ia_snapshot_count(const struct ia_snapshot *s);
/* Elements in reading order. NULL beyond the end. Borrowed. */
const struct ia_element *ia_snapshot_at(const struct ia_snapshot *s, size_t i);
const char *ia_snapshot_app(const struct ia_snapshot *s);    /* bundle id, may be NULL */
const char *ia_snapshot_screen(const struct ia_snapshot *s); /* title, may be NULL */
/* What the app in front tells of its state (driver/app_sdk.h), as it stands in the tree: untrusted, and
 * in no form of the snapshot. NULL where it tells nothing. Borrowed. *ret_count: how many elements
 * tell a state; where there are several, none is to be believed. */
const char *ia_snapshot_app_state(const struct ia_snapshot *s, size_t *ret_count);
/* Changes when elements appear, go or change role, but not with values or a ticking clock. */
uint64_t ia_snapshot_layout_hash(const struct ia_snapshot *s);
/* Changes with anything that the text form shows. */
uint64_t ia_snapshot_content_hash(const struct ia_snapshot *s);
/* The same without refs, to compare screens of two sessions. Computed anew by each call. */
uint64_t ia_snapshot_reading_hash(const struct ia_snapshot *s);
bool ia_snapshot_truncated(const struct ia_snapshot *s);
/* True while a keyboard stands on the screen. */
bool ia_snapshot_keyboard(const struct ia_snapshot *s);

/* The number of "12", "e12" or "@e12"; 0 for anything else. */
uint32_t ia_ref_parse(struct ia_str text);
/* The element that has the ref now. A ref that was given out but whose element is gone is
 * IA_E_STALE_REF, one never given out IA_E_NOT_FOUND; err->hint then names up to five of the
 * nearest candidates. */
enum ia_rc ia_snapshot_resolve(const struct ia_snapshot *s, const struct ia_refs *refs,
                               uint32_t ref, const struct ia_element **ret, struct ia_err *err);
/* Checks that the action may be sent: the element is enabled, visible, not covered, and has the
 * action among its own. Whether it is listed does not matter: keys of the keyboard are not.
 * action 0 checks only the first three. Otherwise one of IA_E_DISABLED, _NOT_VISIBLE, _COVERED,
 * _NOT_ACTIONABLE with outcome not_sent. */
enum ia_rc ia_snapshot_check(const struct ia_snapshot *s, const struct ia_element *e,
                             unsigned action, struct ia_err *err);

/* A selector: `#identifier`, `"label"`, `role "label"`, or `role`. */
struct ia_selector {
    char *identifier;
    char *label;
    int role; /* enum ia_role, -1 for any */
};
/* IA_E_PARSE: *ret_pos is the byte offset of the mistake in text, err says what it is. */
enum ia_rc ia_selector_parse(struct ia_str text, struct ia_selector *ret, size_t *ret_pos,
                             struct ia_err *err);
void ia_selector_fini(struct ia_selector *sel);
/* Labels and identifiers match exactly (after white space is folded). */
bool ia_selector_matches(const struct ia_selector *sel, const struct ia_element *e);
/* The first listed element in reading order that matches, or NULL. */
const struct ia_element *ia_snapshot_find(const struct ia_snapshot *s,
                                          const struct ia_selector *sel);
/* How many listed elements match. */
size_t ia_snapshot_count_matches(const struct ia_snapshot *s, const struct ia_selector *sel);
/* True when the title, or a listed element's label, value or shown placeholder contains text
 * (white space folded, case kept): what the app put on the screen, never what the text form adds
 * to it (refs, roles, states, identifiers). Empty text is never contained. */
bool ia_snapshot_contains(const struct ia_snapshot *s, struct ia_str text);

/* The text form, at most max_bytes (0: the default of IA_TEXT_BYTES). What had to be left out,
 * the least useful first, is counted in a last line. Same snapshot, same bytes. */
enum { IA_TEXT_BYTES = 12000, IA_PHRASE_BYTES = 240 };
void ia_snapshot_text(const struct ia_snapshot *s, size_t max_bytes, struct ia_buf *out);
/* The JSON form:
 * {"app","screen","timestamp","truncated","truncated_by"?,"repaired"?,"status_bar"?:[{label,value}],
 * "elements":[{ref,type,role,label,identifier,value,frame{x,y,w,h},hittable,children}],
 * "actions_available":[{name,target,keyboard?}]}. The caller gives the wall time; png may be empty.
 * Containers are elements only where they have refs: see ia_snapshot_name_containers. */
void ia_snapshot_json(const struct ia_snapshot *s, int64_t wall_ms, struct ia_str png,
                      struct ia_jsonw *w);
/* {"@e12": "12 switch:on Airplane Mode"}: the lines of the text form that begin with a ref. */
void ia_snapshot_json_lines(const struct ia_snapshot *s, struct ia_jsonw *w);
/* The same shortly: {"app","screen","layout_hash","truncated","rows":[[ref,action,role:states,label,
 * value,identifier]]}. */
void ia_snapshot_json_rows(const struct ia_snapshot *s, struct ia_jsonw *w);
/* Gives refs to the lists, scroll views and web views that hold what is shown, which the text form
 * does not name. Of the latest snapshot that was built with refs. */
void ia_snapshot_name_containers(struct ia_snapshot *s, struct ia_refs *refs);
/* What the text form leaves out, a line each: `status 9:41, Battery = 80%`, and the keys that are no
 * letters with their values and states: `keys return:disabled, Next keyboard = Deutsch`. */
void ia_snapshot_unlisted(const struct ia_snapshot *s, struct ia_buf *out);
/* Rows `ref|action|role[:states]|label|value|identifier`. */
void ia_snapshot_rows(const struct ia_snapshot *s, struct ia_buf *out);
/* What changed from a to b, at most max_bytes (0: IA_TEXT_BYTES): "nothing changed"; or lines
 * of the text form after "+ " (appeared), "- " (gone) or "~ " (reads differently now), an
 * element that only moved counted in "~ 3 moved"; or, when most of the screen is another, the
 * line "new screen" and then b's text form. Returns true when something changed. */
bool ia_snapshot_diff(const struct ia_snapshot *a, const struct ia_snapshot *b,
                      size_t max_bytes, struct ia_buf *out);
/* What would probably be tried next, at most two lines: "next: tap 13 or 14" or "next: type
 * into 4", and "next: swipe up for 23 more" ("swipe up in 20 …" where there are several lists),
 * or "next: screenshot" where nothing can be done by ref. Independent of language. Suggests
 * rows of content before commands, and what leaves the screen, closes or destroys only where
 * there is nothing else; never what changes a state. */
void ia_snapshot_next(const struct ia_snapshot *s, struct ia_buf *out);
/* One element as the text form's line, without the newline: `12 button Log in`. Without the
 * number when it has no ref. */
void ia_element_text(const struct ia_element *e, struct ia_buf *out);
/* The same with all of its texts. */
void ia_element_text_whole(const struct ia_element *e, struct ia_buf *out);
/* The text form with all texts of all elements, at most max_bytes: to compare with, not to show. */
void ia_snapshot_text_whole(const struct ia_snapshot *s, size_t max_bytes, struct ia_buf *out);
const char *ia_role_name(enum ia_role role);
/* The role with that name, or IA_ROLE_COUNT. */
int ia_role_from_name(struct ia_str name);
/* "", "off", "on", "mixed". */
extern const char *const ia_tristate_names[IA_MIXED + 1];

#endif
