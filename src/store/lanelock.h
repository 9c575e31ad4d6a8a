/* lanelock.h: one file lock for each lane, <home>/lanes/<lane>.lock (private to store/).
 *
 * flock(2) belongs to the open file, not to the process as fcntl(F_SETLK) does: two threads
 * exclude each other as well, closing another descriptor of the file does not lose it, and the
 * system gives it back when the process dies. The file itself is never removed. Its one line says how
 * often the lock was taken and by whom: "GENERATION KIND REFS WHO". It is for people and for comparing
 * generations; nothing is decided by who it names. */
#ifndef IA_STORE_LANELOCK_H
#define IA_STORE_LANELOCK_H

#include "base/err.h"
#include "store/lane.h"

enum ia_lane_kind {
    IA_LANE_NOBODY,
    IA_LANE_COMMAND,
    IA_LANE_RUN,
    IA_LANE_SERVER, /* a command that serves the device to others until it is stopped */
    IA_LANE_WATCHER /* in the note a command that leaves the generation as it was */
};
struct ia_lane_note {
    uint64_t generation; /* 0: never taken, or the line is damaged */
    enum ia_lane_kind kind;
    uint32_t refs; /* as in struct ia_lane_hold */
    char who[IA_LANE_HOLDER_MAX];
};

/* Tries the lock, without waiting, and writes the note of its new holder; *ret_before is that of the
 * one before. IA_E_BUSY (without a message) when somebody has it: then *ret_before is the holder's
 * own. IA_E_USAGE for an empty or too long lane. close(2) gives it back. */
enum ia_rc ia_lanelock_take(const char *home, const char *lane, enum ia_lane_kind kind,
                            const char *who, int *ret_fd, struct ia_lane_note *ret_before,
                            struct ia_err *err);

/* The note of the file as it is, whoever has it. */
void ia_lanelock_look(const char *home, const char *lane, struct ia_lane_note *ret);

/* IA_E_BUSY with who holds the lane, and what to do. */
enum ia_rc ia_lane_busy(const char *lane, const struct ia_lane_note *holder,
                        struct ia_err *err);

#endif
