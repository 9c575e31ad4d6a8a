/* A goal as anybody may write it. Whatever it says, it becomes at most so many steps of known kinds, or
 * one that says what was not understood; the texts of all are valid and end. */
#include "mock/brain/goal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ia_step *s)
{
    if (s->kind > IA_STEP_READ_PRICE || !memchr(s->text, '\0', sizeof(s->text))) {
        abort();
    }
    for (size_t i = 0; i < IA_STEP_SLOTS; i++) {
        if (!memchr(s->slot[i], '\0', sizeof(s->slot[i]))) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    struct ia_str goal = {(const char *)data, size};
    size_t n = ia_goal_parse(goal, steps);
    if (n > IA_STEPS_MAX) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        check(&steps[i]);
        if (steps[i].kind == IA_STEP_UNKNOWN) {
            (void)ia_goal_nearest(ia_str(steps[i].text));
        }
    }
    free(steps);
    return 0;
}
