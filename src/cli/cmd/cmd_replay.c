/* replay RUN|RECORDING|GOAL: does a recorded run again, without a model. */
#include "agent/recording/make.h"
#include "agent/run/run_store.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/foreground/foreground_run.h"
#include "store/recordings.h"

struct replay {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_foreground foreground;
    struct ia_recording_row *recording;
    struct ia_run_row *run; /* that it was made from */
    struct ia_job *job;     /* of that run */
};

static enum ia_rc read_job(struct replay *r, struct ia_err *err)
{
    char boundary[IA_BOUNDARY_SIZE];
    return ia_run_store_read(r->run, &r->job, boundary, err);
}

/* Records the run, unless that was done before. */
static enum ia_rc record(struct replay *r, struct ia_err *err)
{
    char id[IA_ID_SIZE];
    enum ia_rc rc = ia_recording_keep(r->setup.store, r->run, ia_job_request(r->job), id, err);
    return rc == IA_OK ? ia_store_recording(r->setup.store, id, &r->recording, err) : rc;
}

static enum ia_rc find(struct replay *r, struct ia_err *err)
{
    const char *text = ia_args_operand(&r->c->args, 0);
    struct ia_err none;
    enum ia_rc rc = ia_store_recording(r->setup.store, text, &r->recording, &none);
    rc = ia_store_run(r->setup.store, rc == IA_OK ? r->recording->run_id : text, &r->run, err);
    if (rc == IA_OK && !r->recording) {
        rc = ia_store_recording_of(r->setup.store, r->run->id, &r->recording, err);
    }
    if (rc == IA_OK) {
        rc = read_job(r, err);
    }
    return rc == IA_OK && !r->recording ? record(r, err) : rc;
}

static enum ia_rc open_all(struct replay *r, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&r->setup, "ios-agent replay", err);
    if (rc == IA_OK) {
        rc = ia_args_configure(&r->c->args, "allow-commands", r->setup.config,
                               IA_CFG_RUN_ALLOW_COMMANDS, err);
    }
    if (rc == IA_OK) {
        const struct ia_executor_opts executor = {.setup = &r->setup,
                                                  .credentials = &r->c->credentials};
        rc = ia_foreground_open(&r->foreground, &executor, err);
    }
    return rc == IA_OK ? ia_foreground_display(&r->foreground, err) : rc;
}

/* Named here, or for that run; that of a sweep was only lent. */
static const char *device_of(const struct replay *r)
{
    const char *named = ia_args_text(&r->c->args, "device"), *then = ia_job_device(r->job);
    return named ? named : then ? then : ia_config_str(r->setup.config, IA_CFG_RUN_DEVICE);
}

enum ia_rc ia_cmd_replay(struct ia_cli *c, struct ia_err *err)
{
    struct replay r = {.c = c};
    ia_foreground_init(&r.foreground, c);
    enum ia_rc rc = ia_foreground_signals(&r.foreground, err);
    if (rc == IA_OK) {
        rc = open_all(&r, err);
    }
    if (rc == IA_OK) {
        rc = find(&r, err);
    }
    if (rc == IA_OK) {
        struct ia_run_request req = *ia_job_request(r.job);
        req.recording = r.recording->id;
        req.device = device_of(&r);
        req.demo_brain = req.demo_brain && ia_args_has(&c->args, "heal");
        req.replay = ia_args_has(&c->args, "heal") ? "auto" : "only";
        const struct ia_foreground_task task = {.request = &req,
                                                .fresh = ia_args_has(&c->args, "fresh")};
        rc = ia_foreground_run(&r.foreground, &task, err);
    }
    if (c->json) {
        ia_foreground_result(&r.foreground);
    }
    ia_foreground_fini(&r.foreground);
    ia_job_free(r.job);
    ia_run_row_free(r.run);
    ia_recording_row_free(r.recording);
    ia_setup_close(&r.setup);
    return rc;
}
