/* voiceover.c: a snapshot as VoiceOver would speak it. */
#include "driver/snapshot/voiceover.h"

#include "driver/snapshot/phrase.h"

/* What it adds to an element for its traits; NULL: nothing. */
static const char *const spoken[IA_ROLE_COUNT] = {
    [IA_ROLE_BUTTON] = "button",
    [IA_ROLE_LINK] = "link",
    [IA_ROLE_HEADING] = "heading",
    [IA_ROLE_FIELD] = "text field",
    [IA_ROLE_SECURE] = "secure text field",
    [IA_ROLE_SEARCH] = "search field",
    [IA_ROLE_SWITCH] = "switch button",
    [IA_ROLE_CHECKBOX] = "checkbox",
    [IA_ROLE_RADIO] = "radio button",
    [IA_ROLE_SLIDER] = "adjustable",
    [IA_ROLE_STEPPER] = "adjustable",
    [IA_ROLE_PICKER] = "picker item, adjustable",
    [IA_ROLE_SEGMENT] = "button",
    [IA_ROLE_TAB] = "tab",
    [IA_ROLE_MENU_ITEM] = "button",
    [IA_ROLE_ROW] = "button",
    [IA_ROLE_IMAGE] = "image",
    [IA_ROLE_ICON] = "button",
    [IA_ROLE_ALERT] = "alert",
    [IA_ROLE_PROGRESS] = "progress",
};

static void say(struct ia_buf *out, const char *text, const char **sep)
{
    if (text && *text) {
        ia_buf_puts(out, *sep);
        ia_phrase_write(out, text, IA_PHRASE_LABEL, IA_PHRASE_BYTES);
        *sep = ", ";
    }
}

static void put_element(const struct ia_element *e, struct ia_buf *out)
{
    const char *sep = "";
    if (e->ref > 0) {
        ia_buf_printf(out, "%u: ", (unsigned)e->ref);
    }
    bool named = (e->label && *e->label) || (e->placeholder && *e->placeholder);
    say(out, e->selected ? "selected" : NULL, &sep);
    say(out, named ? (e->label && *e->label ? e->label : e->placeholder) : "no label", &sep);
    say(out, e->value, &sep);
    say(out, e->on != IA_UNSET ? ia_tristate_names[e->on] : NULL, &sep);
    say(out, e->disabled ? "dimmed" : NULL, &sep);
    /* A row that cannot be touched is only its text. */
    bool plain = e->role == IA_ROLE_ROW && !(e->actions & IA_ACT_TAP) && !e->disabled;
    say(out, plain ? NULL : spoken[e->role], &sep);
    ia_buf_putc(out, '\n');
}

void ia_voiceover_text(const struct ia_snapshot *s, struct ia_buf *out)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->listed && e->role != IA_ROLE_KEYBOARD && e->role != IA_ROLE_KEY) {
            put_element(e, out);
        }
    }
}
