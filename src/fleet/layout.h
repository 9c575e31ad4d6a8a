/* layout.h: the streams, subjects and buckets of a fleet, and the words in them.
 *
 *   IA_RUNS      ia.run.CLASS.BATCH.RUN         work queue: runs that wait; one message a run
 *   IA_CLAIMS    ia.claim.BATCH.RUN.N           that a worker begins attempt N; one message an attempt, for good
 *   IA_PROPOSED  ia.proposed.WORKER.BATCH.RUN   what a worker says that came of a run
 *   IA_VERDICTS  ia.verdict.BATCH.RUN           what counts: one message a run, for good
 *   ia_workers   WORKER                         who is there; forgotten after IA_FLEET_GONE_S
 *   ia_leader    schedules                      who starts the fleet's schedules
 *   IA_FIRED     ia.fired.SCHEDULE.DUE          whose that due time is: one message, kept for IA_FLEET_FIRED_S
 *   (told)       ia.live.WORKER.BATCH.RUN       events of a run as they happen
 *   (told)       ia.beat.WORKER.BATCH.RUN       that worker has it
 *   (told)       ia.cancel.BATCH.RUN            stop that run
 *
 * A batch is the id of the sweep that a run belongs to. A class is the labels that a worker must have, since the
 * filters of a work queue must not overlap: whoever submits a run chooses one. Pure but for ia_fleet_make. */
#ifndef IA_FLEET_LAYOUT_H
#define IA_FLEET_LAYOUT_H

#include "fleet/bus.h"

#define IA_FLEET_RUNS "IA_RUNS"
#define IA_FLEET_CLAIMS "IA_CLAIMS"
#define IA_FLEET_PROPOSED "IA_PROPOSED"
#define IA_FLEET_VERDICTS "IA_VERDICTS"
#define IA_FLEET_WORKERS "ia_workers"
#define IA_FLEET_LEADER "ia_leader"
#define IA_FLEET_LEADER_KEY "schedules"
#define IA_FLEET_FIRED "IA_FIRED"

enum {
    IA_FLEET_SUBJECT_SIZE = 256,
    IA_FLEET_NAME_SIZE = 41,  /* of a worker */
    IA_FLEET_CLASS_SIZE = 61, /* of a class */
    IA_FLEET_LABELS_MAX = 8,
    IA_FLEET_GONE_S = 30,
    IA_FLEET_FIRED_S = 30 * 24 * 3600,
    IA_FLEET_ORDER_MAX = 320 << 10,   /* bytes of a run's message */
    IA_FLEET_INLINE_MAX = 600 << 10,  /* bytes of a bundle that goes with its proposal */
    IA_FLEET_MESSAGE_MAX = 768 << 10, /* bytes of any message */
};

/* Makes what is missing of streams and buckets. replicas: 1, or 3 and 5 for a cluster. */
enum ia_rc ia_fleet_make(struct ia_bus *bus, int replicas, struct ia_err *err);

/* The same for schedules, which need nothing else. ttl_s: of the leader's row, where the bucket is new. */
enum ia_rc ia_fleet_make_schedules(struct ia_bus *bus, int64_t ttl_s, int replicas,
                                   struct ia_err *err);

enum ia_fleet_subject {
    IA_FLEET_RUN,      /* class */
    IA_FLEET_PROPOSAL, /* worker */
    IA_FLEET_VERDICT,  /* NULL */
    IA_FLEET_LIVE,     /* worker */
    IA_FLEET_BEAT,     /* worker */
    IA_FLEET_CANCEL,   /* NULL */
    IA_FLEET_CLAIM     /* NULL; ".N" follows */
};
/* Writes the subject; who: as above; run: an id, or ">" or "*" for all. */
void ia_fleet_subject(enum ia_fleet_subject what, const char *who, const char *batch,
                      const char *run, char ret[IA_FLEET_SUBJECT_SIZE]);

/* ia.fired.SCHEDULE.DUE: a dot in the name of a schedule is a colon there. */
void ia_fleet_fired_subject(const char *schedule, int64_t due_ms,
                            char ret[IA_FLEET_SUBJECT_SIZE]);

/* A worker's name: 1 to 40 of A-Z a-z 0-9 _ -. */
bool ia_fleet_name_ok(const char *name);

/* "os=18,model=iphone17" as a class, "model=iphone17,os=18": sorted, lower case, "." as ":". No labels: "any".
 * IA_E_USAGE for what is not NAME=VALUE of A-Z a-z 0-9 _ - and, in the value, ".". */
enum ia_rc ia_fleet_class(const char *labels, char ret[IA_FLEET_CLASS_SIZE],
                          struct ia_err *err);
/* Whether that text is a class as ia_fleet_class writes it. */
bool ia_fleet_class_ok(const char *class_key);
/* Whether a worker of class `has` can do a run that needs the labels of class `needs`. */
bool ia_fleet_class_serves(const char *has, const char *needs);
/* Copies the value of a label; "" where the class has none of that name. */
void ia_fleet_class_label(const char *class_key, const char *name, char *dst, size_t size);

#endif
