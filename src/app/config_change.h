/* config_change.h: a setting changed in the user's file, with what is in effect then. */
#ifndef IA_APP_CONFIG_CHANGE_H
#define IA_APP_CONFIG_CHANGE_H

#include "app/setup.h"
#include "base/jsonw.h"

struct ia_config_change {
    const char *folder; /* where the caller works; NULL: this process's */
    enum ia_config_may may;
    const char *key, *value; /* value NULL: taken out of the file */
};
/* What came of it. Ends with ia_config_changed_fini. */
struct ia_config_changed {
    struct ia_setup setup; /* its configuration is in effect now; NULL: see problem */
    enum ia_config_key key;
    bool changed; /* it was not so already */
    bool loads;
    struct ia_err problem; /* of the configuration as a whole, where it does not load */
};
/* As ia_config_edit. IA_E_FORBIDDEN for a key that the caller may not set. ret may be ended whatever this
 * returns. */
enum ia_rc ia_config_change(const struct ia_config_change *change,
                            struct ia_config_changed *ret, struct ia_err *err);
/* {"file","changed","value":ROW|null}, ROW as in base/config.h. */
void ia_config_changed_json(const struct ia_config_changed *changed, enum ia_config_may may,
                            struct ia_jsonw *w);
void ia_config_changed_fini(struct ia_config_changed *changed);

#endif
