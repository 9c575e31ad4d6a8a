/* system.c: what the phone's system is told, as operations of the phone. */
#include "driver/embedded/impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum ia_rc ia_embedded_status_bar(struct ia_device *d, const struct ia_deadline *deadline,
                                  const struct ia_status_bar *bar, struct ia_err *err)
{
    struct ia_buf json = IA_BUF(IA_OP_TEXT_MAX);
    enum ia_rc rc = bar ? ia_status_bar_check(bar, err) : IA_OK;
    if (rc == IA_OK && bar) {
        struct ia_jsonw w;
        ia_jsonw_init(&w, &json);
        ia_status_bar_json(bar, &w);
    }
    if (rc == IA_OK) {
        struct ia_op op = {.kind = IA_OP_STATUS_BAR, .text = ia_buf_str(&json)};
        rc = ia_embedded_submit(d, deadline, &op, err);
    }
    ia_buf_fini(&json);
    return rc;
}

enum ia_rc ia_embedded_privacy(struct ia_device *d, const struct ia_deadline *deadline,
                               enum ia_privacy set, const char *service, const char *bundle_id,
                               struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_PRIVACY,
                       .n = (int)set,
                       .text = ia_str(service),
                       .app = ia_str(bundle_id)};
    enum ia_rc rc = ia_privacy_check(set, service, bundle_id, err);
    return rc == IA_OK ? ia_embedded_submit(d, deadline, &op, err) : rc;
}

enum ia_rc ia_embedded_location(struct ia_device *d, const struct ia_deadline *deadline,
                                const struct ia_location *place, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_LOCATION, .n = place != NULL};
    if (place) {
        op.x = place->longitude;
        op.y = place->latitude;
    }
    return ia_embedded_submit(d, deadline, &op, err);
}

enum ia_rc ia_embedded_push(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_str payload, struct ia_err *err)
{
    char named[IA_PUSH_APP_SIZE] = "";
    if (!bundle_id) {
        ia_push_app(payload, named);
    }
    struct ia_op op = {
        .kind = IA_OP_PUSH, .text = payload, .app = ia_str(bundle_id ? bundle_id : named)};
    return ia_embedded_submit(d, deadline, &op, err);
}

/* By the ends of their names, as a library sorts what it is given. */
static bool is_media(const char *name)
{
    static const char *const ends[] = {".png", ".jpg", ".jpeg", ".heic",
                                       ".gif", ".mov", ".mp4",  ".m4v"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < IA_COUNTOF(ends); i++) {
        if (strcasecmp(dot, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static enum ia_rc check_file(const char *path, const char *name, struct ia_err *err)
{
    struct stat st;
    enum ia_rc rc = IA_OK;
    if (stat(path, &st) != 0) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "the file %s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode) || !is_media(name)) {
        rc = ia_err_set(err, IA_E_USAGE, "%s is neither a photo nor a video", path);
        ia_err_hint(err, "PNG, JPEG, HEIC, GIF, MOV or MP4");
    }
    return rc == IA_OK ? rc : ia_device_not_sent(rc, err);
}

enum ia_rc ia_embedded_add_media(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *path, struct ia_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct ia_op op = {.kind = IA_OP_MEDIA, .text = ia_str(name)};
    enum ia_rc rc = check_file(path, name, err);
    return rc == IA_OK ? ia_embedded_submit(d, deadline, &op, err) : rc;
}

enum ia_rc ia_embedded_record_start(struct ia_device *d, const struct ia_deadline *deadline,
                                    const char *path, struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        rc = ia_embedded_film_begin(ia_embedded_of(d), path, err);
    }
    return rc == IA_OK ? rc : ia_device_not_sent(rc, err);
}

enum ia_rc ia_embedded_record_stop(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_recording *ret_film, struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        rc = ia_embedded_film_end(ia_embedded_of(d), ret_film, err);
    }
    return rc == IA_OK ? rc : ia_device_not_sent(rc, err);
}

enum ia_rc ia_embedded_set_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                      struct ia_str text, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_PASTEBOARD, .text = text};
    return ia_embedded_submit(d, deadline, &op, err);
}

enum ia_rc ia_embedded_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_buf *ret_text, struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        ia_buf_puts(ret_text, ia_embedded_phone(d)->system.pasteboard);
        rc = ia_buf_check(ret_text, "the pasteboard", err);
    }
    return rc;
}
