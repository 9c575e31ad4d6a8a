/* world.h: the tools of the skill vision on a simulated iPhone: no run, no model, no store. */
#ifndef IA_TESTS_AGENT_VISION_WORLD_H
#define IA_TESTS_AGENT_VISION_WORLD_H

#include "test.h"

#include "agent/skills/skills.h"
#include "agent/tools/act.h"
#include "driver/device_forward.h"
#include "driver/embedded/embedded.h"
#include "driver/image/pixels.h"

#define SKETCH "com.example.sketch"
#define SETTINGS "com.apple.Preferences"
#define BOUNDARY "k7f3m2qa"

/* Stands before the phone: pictures of another scale, and touches at the nth picture. */
struct seen_phone {
    struct ia_device_forward forward; /* first */
    double scale; /* of its pictures, pixels a point; 0: as the phone gives them */
    int pictures; /* so far */
    int touch_at; /* before that picture somebody else touches it; 0: never */
    struct ia_point touch, touch_to; /* a tap, or a drag where touch_to is not 0,0 */
};

struct world {
    struct seen_phone phone;
    struct ia_device *device;
    struct ia_prompts *prompts;
    struct ia_toolset *tools;
    struct ia_skills *skills;
    struct ia_snapshot *shown;
    struct ia_tool_env env;
    struct ia_tool_result result;
    struct ia_err err;
    struct ia_pixels kept; /* the last picture for the model */
    const char *answer;    /* what the other model says, JSON with single quotes */
    int asked;
    char question[512];        /* of the last one */
    struct ia_pixels asked_of; /* its picture */
    enum ia_rc guard;          /* what the app lock says */
    bool hides;                /* another app's screen */
};

/* query is the simulated phone's, or NULL. The app is launched; NULL: the home screen. */
void world_open(struct world *w, const char *query, const char *app);
void world_close(struct world *w);

/* A call with an input that is checked as the loop does; quotes may be single. */
enum ia_rc call(struct world *w, const char *tool, const char *input);
/* The same, which must succeed, and say that. */
void call_ok(struct world *w, const char *tool, const char *input, const char *says);
/* The same, which must fail with that code before anything was sent. */
void call_refused(struct world *w, const char *tool, const char *input, enum ia_rc code,
                  const char *says);
const char *said(const struct world *w);

/* A mark of the last capture that is no element. */
struct mark {
    unsigned number;
    double x, y, w, h;
    unsigned color;
};
/* All of them; returns how many. */
size_t marks(const struct world *w, struct mark *ret, size_t max);
/* The one whose middle has that colour, which must be there, and the only one. */
struct mark mark_of(const struct world *w, unsigned color);

char *phone_state(struct world *w);
void assert_state(struct world *w, const char *has);
int64_t operations(struct world *w);

#endif
