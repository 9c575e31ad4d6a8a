/* sim_device.c: the operations of a simulator's system, each one call of simctl. A film is one call
 * that lasts, on a thread of its own:
 *
 *   start ─► thread: recordVideo ─► first frame ─► start returns
 *   stop  ─► the thread's stop token ─► SIGINT ─► the file is finished ─► joined
 *
 * The thread has a handle of simctl of its own, as a handle belongs to one thread. */
#include "driver/simctl/sim_device.h"

#include "base/cancel.h"
#include "driver/device_forward.h"
#include "driver/simctl/simctl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { POLL_US = 20000 };

struct film {
    pthread_t thread;
    struct ia_simctl *simctl;
    struct ia_cancel *stop;
    char udid[IA_SIM_UDID_SIZE];
    char *path;
    atomic_bool started, ended;
    int64_t from_us, to_us; /* to_us: when it was asked to end; 0: not yet */
    enum ia_rc rc;          /* once it has ended */
    struct ia_err err;
};

struct sim_device {
    struct ia_device_forward forward; /* first */
    struct ia_simctl *simctl;
    char udid[IA_SIM_UDID_SIZE];
    struct film *film; /* NULL: none */
};

static struct sim_device *self(struct ia_device *d)
{
    return (struct sim_device *)d;
}

/* ---- settings ---------------------------------------------------------------------------- */

static enum ia_rc op_status_bar(struct ia_device *d, const struct ia_deadline *deadline,
                                const struct ia_status_bar *bar, struct ia_err *err)
{
    struct sim_device *s = self(d);
    return bar ? ia_simctl_status_bar(s->simctl, deadline, s->udid, bar, err)
               : ia_simctl_status_bar_clear(s->simctl, deadline, s->udid, err);
}

static enum ia_rc op_privacy(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_privacy set, const char *service, const char *bundle_id,
                             struct ia_err *err)
{
    struct sim_device *s = self(d);
    return ia_simctl_privacy(s->simctl, deadline, s->udid, set, service, bundle_id, err);
}

static enum ia_rc op_location(struct ia_device *d, const struct ia_deadline *deadline,
                              const struct ia_location *place, struct ia_err *err)
{
    struct sim_device *s = self(d);
    return place ? ia_simctl_location(s->simctl, deadline, s->udid, place, err)
                 : ia_simctl_location_clear(s->simctl, deadline, s->udid, err);
}

static enum ia_rc op_push(struct ia_device *d, const struct ia_deadline *deadline,
                          const char *bundle_id, struct ia_str payload, struct ia_err *err)
{
    struct sim_device *s = self(d);
    return ia_simctl_push(s->simctl, deadline, s->udid, bundle_id, payload, err);
}

static enum ia_rc op_add_media(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *path, struct ia_err *err)
{
    struct sim_device *s = self(d);
    const char *const paths[] = {path, NULL};
    return ia_simctl_addmedia(s->simctl, deadline, s->udid, paths, err);
}

static enum ia_rc op_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_str text, struct ia_err *err)
{
    struct sim_device *s = self(d);
    return ia_simctl_pbcopy(s->simctl, deadline, s->udid, text, err);
}

static enum ia_rc op_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_text, struct ia_err *err)
{
    struct sim_device *s = self(d);
    return ia_simctl_pbpaste(s->simctl, deadline, s->udid, ret_text, err);
}

/* ---- films ------------------------------------------------------------------------------- */

static void on_started(void *ctx)
{
    atomic_store(&((struct film *)ctx)->started, true);
}

static void *film_main(void *ctx)
{
    struct film *f = ctx;
    const struct ia_deadline forever = {.at_us = IA_NO_DEADLINE};
    const struct ia_sim_record record = {
        .path = f->path, .stop = f->stop, .started = on_started, .started_ctx = f};
    f->rc = ia_simctl_record(f->simctl, &forever, f->udid, &record, &f->err);
    atomic_store(&f->ended, true);
    return NULL;
}

static void film_free(struct film *f)
{
    ia_simctl_free(f->simctl);
    ia_cancel_free(f->stop);
    free(f->path);
    free(f);
}

/* Ends a film, however long the recorder takes (screen.c bounds it). */
static void film_end(struct film *f)
{
    if (f) {
        ia_cancel_fire(f->stop);
        (void)pthread_join(f->thread, NULL);
        film_free(f);
    }
}

/* Waits until it is so, under the call's own deadline. */
static enum ia_rc await(const struct ia_deadline *deadline, const atomic_bool *so,
                        const atomic_bool *or_so, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && !atomic_load(so) && !atomic_load(or_so)) {
        rc = ia_deadline_check(deadline, clock, err);
        if (rc == IA_OK) {
            (void)ia_clock_wait(clock, deadline ? deadline->cancel : NULL,
                                ia_mono_us(clock) + POLL_US);
        }
    }
    return rc;
}

static struct film *film_new(const char *udid, const char *path, struct ia_err *err)
{
    struct ia_cancel *stop = ia_cancel_new(err);
    if (!stop) {
        return NULL;
    }
    struct film *f = ia_calloc(1, sizeof(*f));
    f->simctl = ia_simctl_new();
    f->stop = stop;
    f->path = ia_strdup(path);
    f->from_us = ia_mono_us(ia_clock_system());
    (void)snprintf(f->udid, sizeof(f->udid), "%s", udid);
    if (pthread_create(&f->thread, NULL, film_main, f) != 0) {
        (void)ia_err_set(err, IA_E_INTERNAL, "cannot start a thread for the recording");
        film_free(f);
        return NULL;
    }
    return f;
}

static enum ia_rc op_record_start(struct ia_device *d, const struct ia_deadline *deadline,
                                  const char *path, struct ia_err *err)
{
    struct sim_device *s = self(d);
    if (s->film) {
        (void)ia_err_set(err, IA_E_STATE, "the screen is being recorded into %s",
                         s->film->path);
        ia_err_hint(err, "stop that recording first");
        return ia_device_not_sent(IA_E_STATE, err);
    }
    struct film *f = film_new(s->udid, path, err);
    if (!f) {
        return ia_device_not_sent(IA_E_INTERNAL, err);
    }
    enum ia_rc rc = await(deadline, &f->started, &f->ended, err);
    if (rc == IA_OK && atomic_load(&f->ended)) {
        (void)pthread_join(f->thread, NULL);
        if (err) {
            *err = f->err;
        }
        rc = f->rc != IA_OK ? f->rc
                            : ia_err_set(err, IA_E_DEVICE, "the recording ended at once");
        film_free(f);
        return rc;
    }
    if (rc != IA_OK) {
        film_end(f);
        return rc;
    }
    s->film = f;
    return IA_OK;
}

static enum ia_rc op_record_stop(struct ia_device *d, const struct ia_deadline *deadline,
                                 struct ia_recording *ret, struct ia_err *err)
{
    struct sim_device *s = self(d);
    struct film *f = s->film;
    struct stat st = {.st_size = 0};
    if (!f) {
        return ia_device_not_sent(
            ia_err_set(err, IA_E_STATE, "the screen is not being recorded"), err);
    }
    f->to_us = f->to_us > 0 ? f->to_us : ia_mono_us(ia_clock_system());
    ia_cancel_fire(f->stop);
    enum ia_rc rc = await(deadline, &f->ended, &f->ended, err);
    if (rc != IA_OK) {
        return rc; /* it is ending: the next call asks for it again */
    }
    s->film = NULL;
    (void)pthread_join(f->thread, NULL);
    if (f->rc == IA_OK && stat(f->path, &st) == 0) {
        *ret = (struct ia_recording){.format = "mp4",
                                     .bytes = (int64_t)st.st_size,
                                     .duration_ms = (f->to_us - f->from_us) / 1000};
    } else if (f->rc == IA_OK) {
        f->rc = ia_err_set(&f->err, IA_E_DEVICE, "the recorder left no file %s", f->path);
    }
    rc = f->rc;
    if (rc != IA_OK && err) {
        *err = f->err;
    }
    film_free(f);
    return rc;
}

/* ---- the device -------------------------------------------------------------------------- */

static void op_close(struct ia_device *d)
{
    struct sim_device *s = self(d);
    film_end(s->film);
    ia_device_close(s->forward.inner);
    ia_simctl_free(s->simctl);
    free(s);
}

struct ia_device *ia_sim_device_new(struct ia_device *inner, const char *udid)
{
    struct sim_device *s = ia_calloc(1, sizeof(*s));
    struct ia_device_ops *ops = &s->forward.ops;
    ia_device_forward_init(&s->forward, inner);
    s->simctl = ia_simctl_new();
    (void)snprintf(s->udid, sizeof(s->udid), "%s", udid);
    ops->status_bar = op_status_bar;
    ops->privacy = op_privacy;
    ops->location = op_location;
    ops->push = op_push;
    ops->add_media = op_add_media;
    ops->set_pasteboard = op_set_pasteboard;
    ops->pasteboard = op_pasteboard;
    ops->record_start = op_record_start;
    ops->record_stop = op_record_stop;
    ops->close = op_close;
    return &s->forward.device;
}
