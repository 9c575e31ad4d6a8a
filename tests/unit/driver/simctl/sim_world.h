/* sim_world.h: a handle of simctl over the stand-in for Xcode's tools, with two simulators. */
#ifndef IA_TEST_DRIVER_SIM_WORLD_H
#define IA_TEST_DRIVER_SIM_WORLD_H

#include "fake_xcode.h"

#include "driver/simctl/simctl.h"

#define PHONE "00000000-0000-4000-8000-00000000000A" /* booted */
#define OTHER "00000000-0000-4000-8000-00000000000B" /* shut down */

#define DEVICES                                                                                \
    "\"devices\":[{\"name\":\"iPhone 17\",\"runtime\":\"iOS 26.2\",\"udid\":\"" PHONE          \
    "\",\"state\":\"Booted\"},"                                                                \
    "{\"name\":\"iPhone 17 Pro\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER "\"}]"
#define SETUP "{" DEVICES "}"

static const struct ia_deadline forever = {.at_us = IA_NO_DEADLINE};

struct sim_world {
    char *folder;
    struct ia_simctl *s;
    struct ia_buf text;
    struct ia_err err;
};

/* setup as fake_xcode_new takes it. */
struct sim_world sim_world_new(const char *setup);
void sim_world_free(struct sim_world *w);
/* Fails the test with err unless rc is IA_OK. */
void sim_world_ok(struct sim_world *w, enum ia_rc rc);
/* The calls since the last question are these. */
void sim_world_calls(struct sim_world *w, const char *want);
/* Makes Shop.app with that bundle id; its path in new memory. */
char *sim_world_app(struct sim_world *w, const char *bundle_id, const char *more);

#endif
