/* impl.h: what the files of the device share. Private to this folder. */
#ifndef IA_DRIVER_EMBEDDED_IMPL_H
#define IA_DRIVER_EMBEDDED_IMPL_H

#include "driver/embedded/fault/faults.h"
#include "driver/embedded/op/oplog.h"

struct ia_embedded {
    struct ia_device device; /* first: the vtable */
    struct ia_phone *phone;
    struct ia_oplog *log; /* NULL: in memory only */
    const struct ia_clock *clock;
    struct ia_faults faults;
    struct ia_knobs knobs; /* that its name asked for */
    char *changes;         /* the text of one of them */
    struct ia_apng *film;  /* NULL: none is being made */
    /* Time in the film, and the phone's clock at its last picture: a reset sets that one back. */
    int64_t film_ms, film_now_ms;
    char name[IA_OPLOG_NAME_MAX + 1];
    char *folder;    /* NULL: in memory only */
    size_t handed;   /* how much of its outbox is in mailboxes */
    off_t mail_size; /* of the complete lines in its mailbox when it was read last */
};

static inline struct ia_embedded *ia_embedded_of(struct ia_device *d)
{
    return (struct ia_embedded *)d;
}

/* ---- submit.c ---- */

/* The way of every operation to the phone: late or cancelled? faults, check, log, act. */
enum ia_rc ia_embedded_submit(struct ia_device *d, const struct ia_deadline *deadline,
                              const struct ia_op *op, struct ia_err *err);
/* The one way an operation reaches the phone: checked, logged, then done. */
enum ia_rc ia_embedded_commit(struct ia_embedded *e, const struct ia_op *op,
                              struct ia_err *err);
/* Refuses what is late, cancelled or released. */
enum ia_rc ia_embedded_begin(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_err *err);

/* ---- mail.c, mailbox.c ---- */

/* Links the phone as its name asks for. fresh: what its mailbox has is not for it. */
enum ia_rc ia_embedded_link(struct ia_embedded *e, bool fresh, struct ia_err *err);
/* Puts what was sent to linked phones into their mailboxes. On failure the next call does. */
enum ia_rc ia_embedded_send_mail(struct ia_embedded *e, struct ia_err *err);
/* Takes what came from linked phones. */
enum ia_rc ia_embedded_receive_mail(struct ia_embedded *e, struct ia_err *err);

/* ---- sdk.c ---- */

/* Calls the views of the app in front as the knob `ids` wants it, and withholds them where `tree` does. */
void ia_embedded_identify(const struct ia_embedded *e, struct ia_scene *s);
/* Adds the element by which the app in front tells its state, if it does. */
void ia_embedded_tell(const struct ia_embedded *e, struct ia_tree *t);

/* ---- film.c ---- */

/* What is on the screen now belongs into the film, if one is being made. */
void ia_embedded_film(struct ia_embedded *e);
enum ia_rc ia_embedded_film_begin(struct ia_embedded *e, const char *path, struct ia_err *err);
enum ia_rc ia_embedded_film_end(struct ia_embedded *e, struct ia_recording *ret,
                                struct ia_err *err);

/* ---- system.c: the operations of driver/system.h ---- */

enum ia_rc ia_embedded_status_bar(struct ia_device *d, const struct ia_deadline *deadline,
                                  const struct ia_status_bar *bar, struct ia_err *err);
enum ia_rc ia_embedded_privacy(struct ia_device *d, const struct ia_deadline *deadline,
                               enum ia_privacy set, const char *service, const char *bundle_id,
                               struct ia_err *err);
enum ia_rc ia_embedded_location(struct ia_device *d, const struct ia_deadline *deadline,
                                const struct ia_location *place, struct ia_err *err);
enum ia_rc ia_embedded_push(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_str payload, struct ia_err *err);
enum ia_rc ia_embedded_add_media(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *path, struct ia_err *err);
enum ia_rc ia_embedded_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                      struct ia_str text, struct ia_err *err);
enum ia_rc ia_embedded_record_start(struct ia_device *d, const struct ia_deadline *deadline,
                                    const char *path, struct ia_err *err);
enum ia_rc ia_embedded_record_stop(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_recording *ret_film, struct ia_err *err);
enum ia_rc ia_embedded_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_buf *ret_text, struct ia_err *err);

/* ---- native.c ---- */

enum ia_rc ia_embedded_native(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_native native, struct ia_str json,
                              struct ia_buf *ret_answer, struct ia_err *err);

/* ---- facts.c ---- */

enum ia_rc ia_embedded_app_state(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *bundle_id, enum ia_application_state *ret_state,
                                 struct ia_err *err);
enum ia_rc ia_embedded_appearance(struct ia_device *d, const struct ia_deadline *deadline,
                                  const bool *set_dark, bool *ret_dark, struct ia_err *err);
enum ia_rc ia_embedded_locked(struct ia_device *d, const struct ia_deadline *deadline,
                              bool *ret_locked, struct ia_err *err);

#endif
