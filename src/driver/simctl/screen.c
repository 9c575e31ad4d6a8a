/* screen.c: io screenshot and io recordVideo.
 *
 *     recorder starts ──► "Recording started" ──► stop fires ──► SIGINT, again every 2 s ──► file
 *                               │ not yet: a stop waits up to 10 s       │ 30 s: SIGKILL */
#include "base/clock.h"
#include "driver/simctl/impl.h"

#include <signal.h>
#include <string.h>

enum {
    FIRST_FRAME_MS = 10000, /* how long a stop waits for a recording to begin */
    INTERRUPT_EACH_MS = 2000,
    FINISH_MS = 30000 /* from the first SIGINT to a finished file */
};
#define PICTURE_BYTES_MAX ((size_t)64 << 20)
#define RECORD_MS INT64_C(86400000)

/* ---- one picture ------------------------------------------------------------------------- */

/* By the list that is there; when it says anything but booted, by a new one. */
static enum ia_rc must_be_booted(struct ia_simctl *s, const struct ia_deadline *deadline,
                                 const char *udid, struct ia_err *err)
{
    const struct ia_sim *sim = s->list ? ia_sim_by_udid(s->list, udid) : NULL;
    enum ia_sim_state state = sim ? sim->state : IA_SIM_STATE_OTHER;
    enum ia_rc rc =
        state == IA_SIM_BOOTED ? IA_OK : ia_simctl_state(s, deadline, udid, &state, err);
    if (rc == IA_OK && state != IA_SIM_BOOTED) {
        rc = ia_err_set(err, IA_E_STATE, "%s has no screen: it is %s", udid,
                        ia_sim_state_name(state));
        ia_err_hint(err, "boot it first: ios-agent boot %s", udid);
        return ia_device_not_sent(rc, err);
    }
    return rc;
}

enum ia_rc ia_simctl_screenshot(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, struct ia_buf *ret_png, struct ia_err *err)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const char *const args[] = {"io", udid, "screenshot", "--type=png", "-", NULL};
    const struct ia_simctl_verb verb = {.args = args,
                                        .output_max = PICTURE_BYTES_MAX,
                                        .limit_ms = IA_SIMCTL_SCREEN_MS,
                                        .reads = true};
    size_t start = ret_png->len;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK) {
        rc = must_be_booted(s, deadline, udid, err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_do(s, deadline, &verb, ret_png, NULL, err);
    }
    size_t n = ret_png->len - start;
    if (rc == IA_OK && (n < sizeof(signature) ||
                        memcmp(ret_png->p + start, signature, sizeof(signature)) != 0)) {
        rc = ia_err_set(err, IA_E_DEVICE,
                        "simctl io screenshot printed %zu bytes that are not a PNG", n);
        ia_err_hint(err, "shut the simulator down and boot it again");
    }
    if (rc != IA_OK) {
        ia_buf_cut(ret_png, start);
    }
    return rc;
}

/* ---- a film ------------------------------------------------------------------------------ */

struct recording {
    const struct ia_sim_record *opt;
    bool began;
    int64_t stop_us;      /* when the stop was seen; 0 before */
    int64_t interrupt_us; /* when SIGINT was sent first, and last */
    int64_t last_us;
};

/* Which signal the recorder gets now, or 0. An interrupt that comes before the first frame can
 * be lost, so it waits for that, and is repeated until the recorder has finished its file. */
static int on_recording(void *ctx, const struct ia_spawn_result *so_far)
{
    struct recording *r = ctx;
    int64_t now = ia_mono_us(ia_clock_system());
    if (!r->began && strstr(ia_buf_cstr(&so_far->err), "Recording started")) {
        r->began = true;
        if (r->opt->started) {
            r->opt->started(r->opt->started_ctx);
        }
    }
    if (!ia_cancel_fired(r->opt->stop)) {
        return 0;
    }
    r->stop_us = r->stop_us > 0 ? r->stop_us : now;
    if (!r->began && now - r->stop_us < FIRST_FRAME_MS * INT64_C(1000)) {
        return 0;
    }
    if (r->interrupt_us > 0 && now - r->interrupt_us > FINISH_MS * INT64_C(1000)) {
        return SIGKILL;
    }
    if (r->last_us > 0 && now - r->last_us < INTERRUPT_EACH_MS * INT64_C(1000)) {
        return 0;
    }
    r->interrupt_us = r->interrupt_us > 0 ? r->interrupt_us : now;
    r->last_us = now;
    return SIGINT;
}

static enum ia_rc check_record(const char *udid, const struct ia_sim_record *record,
                               struct ia_err *err)
{
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    rc = rc == IA_OK ? ia_simctl_check_word("the path of a recording", record->path, err) : rc;
    bool known = !record->codec || strcmp(record->codec, "h264") == 0 ||
                 strcmp(record->codec, "hevc") == 0;
    if (rc == IA_OK && !known) {
        rc = ia_err_set(err, IA_E_USAGE, "unknown codec \"%s\": use h264 or hevc",
                        record->codec);
        return ia_device_not_sent(rc, err);
    }
    return rc;
}

enum ia_rc ia_simctl_record(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, const struct ia_sim_record *record,
                            struct ia_err *err)
{
    const char *codec = !record->codec                       ? NULL
                        : strcmp(record->codec, "hevc") == 0 ? "--codec=hevc"
                                                             : "--codec=h264";
    const char *const plain[] = {"io", udid, "recordVideo", "--force", record->path, NULL};
    const char *const coded[] = {"io",      udid,         "recordVideo", codec,
                                 "--force", record->path, NULL};
    struct recording r = {.opt = record};
    const struct ia_simctl_verb verb = {.args = codec ? coded : plain,
                                        .limit_ms = RECORD_MS,
                                        .repeatable = true,
                                        .watch = on_recording,
                                        .watch_ctx = &r};
    enum ia_rc rc = check_record(udid, record, err);
    if (rc == IA_OK) {
        rc = must_be_booted(s, deadline, udid, err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_do(s, deadline, &verb, NULL, NULL, err);
    }
    if (rc == IA_OK && !r.began) {
        rc = ia_err_set(err, IA_E_DEVICE, "the recording of %s ended before its first frame",
                        udid);
        ia_err_hint(err, "boot the simulator, wait for its screen, and record again");
    }
    return rc;
}
