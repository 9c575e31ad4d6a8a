/* layout.h: the streams, subjects and buckets of a fleet, and the names in them.
 *
 *   IA_RUNS      ia.run.CLASS.BATCH.RUN         work queue of orders, one message per run
 *   IA_CLAIMS    ia.claim.BATCH.RUN.N           a worker begins attempt N; one message per attempt
 *   IA_PROPOSED  ia.proposed.WORKER.BATCH.RUN   the result of a run, from its worker
 *   IA_VERDICTS  ia.verdict.BATCH.RUN           the result that counts; one message per run
 *   IA_FIRED     ia.fired.SCHEDULE.DUE          which machine starts that due time; one message, for IA_FLEET_FIRED_S
 *   ia_workers   WORKER                         the workers; a row expires after IA_FLEET_GONE_S
 *   ia_leader    schedules                      the machine that starts the fleet's schedules
 *   (no stream)  ia.live.WORKER.BATCH.RUN       events of a run as they happen
 *   (no stream)  ia.beat.WORKER.BATCH.RUN       the worker still has the run
 *   (no stream)  ia.cancel.BATCH.RUN            stops the run
 *   (no stream)  ia.ask.WORKER.BATCH.RUN        the worker asks for the run's shared secrets (ask.h)
 *   (no stream)  ia.answer.WORKER.BATCH.RUN     their values, sealed to that worker
 *
 * A batch is the id of the sweep that a run belongs to. A class is the set of labels of a worker. The filters of a work
 * queue must not overlap, so the submitter of a run chooses exactly one class. All is pure except ia_fleet_make*. */
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

/* Makes the streams and buckets that do not exist yet. replicas: 1, or 3 or 5 in a cluster. */
enum ia_rc ia_fleet_make(struct ia_bus *bus, int replicas, struct ia_err *err);

/* The same for those that schedules need. ttl_s: of the leader's row, if the bucket is made now. */
enum ia_rc ia_fleet_make_schedules(struct ia_bus *bus, int64_t ttl_s, int replicas,
                                   struct ia_err *err);

enum ia_fleet_subject {
    IA_FLEET_RUN,      /* class */
    IA_FLEET_PROPOSAL, /* worker */
    IA_FLEET_VERDICT,  /* NULL */
    IA_FLEET_LIVE,     /* worker */
    IA_FLEET_BEAT,     /* worker */
    IA_FLEET_CANCEL,   /* NULL */
    IA_FLEET_ASK,      /* worker */
    IA_FLEET_ANSWER,   /* worker */
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
 * IA_E_USAGE unless each label is NAME=VALUE of A-Z a-z 0-9 _ - and, in the value, ".". */
enum ia_rc ia_fleet_class(const char *labels, char ret[IA_FLEET_CLASS_SIZE],
                          struct ia_err *err);
/* Whether the text is a class as ia_fleet_class writes it. */
bool ia_fleet_class_ok(const char *class_key);
/* Whether a worker of class `has` can do a run that needs the labels of class `needs`. */
bool ia_fleet_class_serves(const char *has, const char *needs);
/* Copies the value of a label; "" if the class has no such label. */
void ia_fleet_class_label(const char *class_key, const char *name, char *dst, size_t size);

#endif
