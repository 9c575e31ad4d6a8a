/* replay_screen.c: whether a screen is the recorded one, by its title and marks. */
#include "agent/run/replay_impl.h"

#include "driver/snapshot/phrase.h"

enum { MARKS_PART = 60 };

/* How a screen's title compares with the recorded one. */
enum said { NOTHING, THE_SAME, ANOTHER };

/* True if the recorded title names what was chosen or typed before: a similar screen with another title then shows
 * something else, such as another contact. If a model chose an element with the recorded identifier, that one names the
 * screen. */
static enum said by_title(const json_t *recording, size_t at, const char *is)
{
    const char *title = ia_json_text(ia_recording_step(recording, at), "title");
    enum said said = ia_replay_equal(title, is) ? THE_SAME : NOTHING;
    for (size_t i = 0; *title && i < at && said != THE_SAME; i++) {
        const json_t *step = ia_recording_step(recording, i);
        const char *text = ia_json_text(json_object_get(step, "input"), "text");
        const char *touched = ia_json_text(step, IA_REPLAY_TOUCHED);
        bool chosen =
            ia_phrase_has(ia_json_text(json_object_get(step, "target"), "label"), title);
        if (chosen && is && ia_phrase_has(touched, is)) {
            said = THE_SAME;
        } else if (chosen || (*text && strstr(title, text))) {
            said = ANOTHER;
        }
    }
    return said;
}

static size_t count_marks(const json_t *marks, const struct ia_snapshot *s)
{
    size_t i, at, found = 0;
    json_t *mark;
    json_array_foreach(marks, i, mark)
    {
        struct ia_selector sel;
        if (ia_selector_parse(ia_str(json_string_value(mark)), &sel, &at, NULL) == IA_OK) {
            found += ia_snapshot_find(s, &sel) != NULL;
            ia_selector_fini(&sel);
        }
    }
    return found;
}

/* A title that names nothing may differ while most marks are there. */
bool ia_replay_is_screen(const json_t *recording, size_t at, const struct ia_snapshot *s)
{
    const json_t *step = ia_recording_step(recording, at);
    const json_t *marks = json_object_get(step, "marks");
    size_t n = json_array_size(marks);
    enum said said = by_title(recording, at, ia_snapshot_screen(s));
    if (said != NOTHING || n == 0) {
        return said == THE_SAME || !json_object_get(step, "title");
    }
    return count_marks(marks, s) * 100 >= n * MARKS_PART;
}
