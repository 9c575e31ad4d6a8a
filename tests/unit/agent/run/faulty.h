/* faulty.h: a device in front of another that misbehaves on demand. */
#ifndef IA_TESTS_AGENT_FAULTY_H
#define IA_TESTS_AGENT_FAULTY_H

#include "driver/device_forward.h"

struct faulty {
    struct ia_device_forward forward; /* first; give forward.device away */
    int taps;                         /* so far */
    int lose_at;                      /* the tap at which the device is lost, from 1; 0 never */
    int hang_at;                      /* the tap that hangs until it is cancelled; 0 never */
    int slow_at;             /* the tap that takes its time, and is done unless cancelled */
    int fail_at;             /* the tap that fails with an unknown outcome after it was done */
    const char *foreign_app; /* after that tap another app is in front; NULL never */
    int foreign_at;
    void (*on_hang)(void *ctx); /* called when the hang or slowness begins; may be NULL */
    void *ctx;
    bool lost;
    bool blind; /* gives no screenshots */
};

void faulty_init(struct faulty *f, struct ia_device *inner);

#endif
