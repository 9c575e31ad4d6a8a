/* live_config.h: the configuration of a process that goes on for long: what its files say now.
 *
 * Who needs a setting takes the configuration, reads it, and gives it back; what was taken stays as it is
 * meanwhile. A file that does not load, as one that somebody is writing, changes nothing. */
#ifndef IA_APP_LIVE_CONFIG_H
#define IA_APP_LIVE_CONFIG_H

#include "app/setup.h"

/* From now on ia_config_take sees what the files have become. Before there are threads that take one. End
 * with ia_setup_unfollow, when nobody has one any more, before ia_setup_close. */
void ia_setup_follow(struct ia_setup *s);
/* fn hears of the configuration as it is now, and then of each that is another one: for what is kept of it
 * elsewhere. Called with a lock held, on the thread that noticed: takes no configuration itself. The
 * setup is followed. Any thread. */
typedef void ia_live_config_fn(void *ctx, const struct ia_config *config);
void ia_setup_hear(const struct ia_setup *s, ia_live_config_fn *fn, void *ctx);
void ia_setup_unfollow(struct ia_setup *s); /* no harm where it is not followed */

/* The configuration now; where the setup is not followed, the one that was loaded. Looks at the times of
 * two files. Any thread. Ends with ia_config_give_back. */
const struct ia_config *ia_config_take(const struct ia_setup *s);
void ia_config_give_back(const struct ia_setup *s, const struct ia_config *config);

/* One setting of it. */
bool ia_config_bool_now(const struct ia_setup *s, enum ia_config_key key);

#endif
