/* lane.h: the right to drive a device for the moment of one command, and who had it before.
 *
 * The lock of a lane (lanelock.h) is what excludes; its file also says who took it last and how often
 * it was taken, its generation. A run takes a lease (store.h), which is this lock and a row. A command
 * of a few milliseconds takes the lock alone: nothing is written that has to be durable, and a holder
 * that dies gives it back at once. Whoever keeps what it knows of a device between two commands
 * compares generations: more than one more means that somebody else drove it. Who only watches takes
 * the lock, too, and leaves the generation as it is. */
#ifndef IA_STORE_LANE_H
#define IA_STORE_LANE_H

#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"

enum { IA_LANE_HOLDER_MAX = 160 };

struct ia_lane_hold {
    int fd;
    uint64_t generation; /* of this holder, from 1 */
    /* The highest ref that any command gave to an element of this device: a ref of one process must
     * not mean another element in the next. The holder raises it; it is kept at the release. */
    uint32_t refs;
    char previous
        [IA_LANE_HOLDER_MAX]; /* who had it before, "ios-agent tap, pid 41"; "" nobody */
    /* private */
    uint32_t refs_before;
    char who[IA_LANE_HOLDER_MAX];
    bool watches;
    int kind_after; /* what the note says again when a watcher is gone */
};

/* Takes the lane of a home for a command. who is shown to others who find it busy. Where another
 * command has it, waits for it until until_us of the clock or until cancel (may be NULL) fires;
 * IA_E_BUSY at once where a run or a server has it. Release with ia_lane_release. */
enum ia_rc ia_lane_take(const char *home, const char *lane, const char *who,
                        const struct ia_clock *clock, struct ia_cancel *cancel,
                        int64_t until_us, struct ia_lane_hold *ret, struct ia_err *err);
/* Takes it for a command that keeps it until it is stopped: others are refused at once. Never waits. */
enum ia_rc ia_lane_keep(const char *home, const char *lane, const char *who,
                        struct ia_lane_hold *ret, struct ia_err *err);
/* The same for a look at the device: the generation is that of who drove it last, and 0 where nobody
 * did. Never waits: IA_E_BUSY where anybody has it, who is then named in ret->previous, with *ret_run
 * whether it is a run. */
enum ia_rc ia_lane_watch(const char *home, const char *lane, const char *who,
                         struct ia_lane_hold *ret, bool *ret_run, struct ia_err *err);
void ia_lane_release(struct ia_lane_hold *hold);

/* How often the lane was taken, read without taking it; 0: never, or not known. */
uint64_t ia_lane_generation(const char *home, const char *lane);

#endif
