/* embedded.h: the simulated iPhone inside this program. Deterministic: the same log of
 * operations gives the same phone. Nothing outside driver/embedded/ sees its insides. */
#ifndef IA_DRIVER_EMBEDDED_H
#define IA_DRIVER_EMBEDDED_H

#include "base/jsonw.h"
#include "driver/device.h"

struct ia_embedded_options {
    const char *folder; /* where the phone's log lives; NULL: in memory only */
    const char *name;   /* "default"; [a-z0-9-]{1,32} */
    bool fresh;         /* forget the log: factory state */
    uint64_t seed;      /* 0: the phone's own default */
    const struct ia_clock *clock; /* NULL: the system's; used only where the device must wait */
};

/* Opens (and first replays) a phone. It outlives the program: each operation is appended to
 * folder/NAME.log before it acts. IA_E_BUSY when another process drives it, IA_E_USAGE for a bad
 * name, IA_E_PARSE when the log is damaged (the hint names the file and `run --fresh`). */
enum ia_rc ia_embedded_open(const struct ia_embedded_options *opt, struct ia_device **ret,
                            struct ia_err *err);

/* The oracle: {"contacts":[{"name","phone",…}],"settings":{…},"foreground","screen"}. Reads a
 * phone that nobody or somebody else drives, without touching it. */
enum ia_rc ia_embedded_state_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                  struct ia_err *err);
/* Every operation that reached the phone, oldest first:
 * [{"seq","op","x","y","text",…}]. */
enum ia_rc ia_embedded_log_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                struct ia_err *err);

/* The same oracle of an open phone, also of one that is in memory only. Same thread rule as the
 * device; changes nothing. */
void ia_embedded_device_state_json(struct ia_device *d, struct ia_jsonw *w);

#endif
