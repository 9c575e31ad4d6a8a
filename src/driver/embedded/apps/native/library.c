/* library.c: photos, music, shortcuts. */
#include "driver/embedded/apps/music/music.h"
#include "driver/embedded/apps/native/native.h"
#include "driver/embedded/apps/shortcuts/shortcuts.h"

#include <string.h>
#include <strings.h>

enum { DAY_MS = 86400000, PICKED = 2 /* what a limited access shows */ };
#define FIRST_DAY_MS (IA_PHONE_EPOCH_MS / DAY_MS * DAY_MS)

/* ---- photos ------------------------------------------------------------------------------ */

struct photo {
    const char *name, *album;
    int64_t taken_ms;
    int width, height; /* 0: not known */
};

/* Days are counted from the one on which every phone begins. The newest first. */
static const struct {
    const char *name, *album;
    int day, minute, width, height;
} factory[] = {
    {"IMG_0112.HEIC", "Favorites", 0, 8 * 60 + 12, 4032, 3024},
    {"IMG_0111.PNG", "Screenshots", -1, 21 * 60 + 40, 1179, 2556},
    {"IMG_0110.MOV", "Videos", -3, 15 * 60 + 5, 1920, 1080},
    {"IMG_0109.HEIC", "Lisbon", -18, 18 * 60 + 31, 4032, 3024},
    {"IMG_0108.HEIC", "Lisbon", -19, 11 * 60 + 2, 3024, 4032},
    {"IMG_0107.MOV", "Lisbon", -19, 10 * 60 + 47, 3840, 2160},
    {"IMG_0106.HEIC", "Lisbon", -20, 9 * 60 + 15, 4032, 3024},
    {"IMG_0105.PNG", "Screenshots", -34, 13 * 60, 1179, 2556},
};

/* What was added comes first, the newest before the others. */
static bool photo_at(const struct ia_phone *p, int i, struct photo *ret)
{
    const struct ia_system *s = &p->system;
    if (i < s->media_count) {
        int at = s->media_count - 1 - i;
        *ret = (struct photo){s->media[at], "Recents", s->media_ms[at], 0, 0};
        return true;
    }
    i -= s->media_count;
    if (i >= (int)IA_COUNTOF(factory)) {
        return false;
    }
    *ret = (struct photo){factory[i].name, factory[i].album,
                          FIRST_DAY_MS + factory[i].day * (int64_t)DAY_MS +
                              factory[i].minute * INT64_C(60000),
                          factory[i].width, factory[i].height};
    return true;
}

static const char *kind_of(const struct photo *photo)
{
    static const char *const videos[] = {".mov", ".mp4", ".m4v"};
    const char *dot = strrchr(photo->name, '.');
    for (size_t i = 0; dot && i < IA_COUNTOF(videos); i++) {
        if (strcasecmp(dot, videos[i]) == 0) {
            return "video";
        }
    }
    return "photo";
}

static int photos_shown(const struct ia_native_call *c)
{
    int all = c->p->system.media_count + (int)IA_COUNTOF(factory);
    return c->limited ? PICKED : all;
}

/* Counts an album where its first photo stands. */
static int album_size(const struct ia_native_call *c, const char *album, int first)
{
    struct photo photo;
    int n = 0;
    for (int i = 0; i < photos_shown(c) && photo_at(c->p, i, &photo); i++) {
        bool same = strcmp(photo.album, album) == 0;
        n += same;
        if (same && i < first) {
            return 0;
        }
    }
    return n;
}

enum ia_rc ia_native_photo_albums(struct ia_native_call *c)
{
    struct ia_native_list list = ia_native_list_begin(c->w, "albums");
    struct photo photo;
    for (int i = 0; i < photos_shown(c) && photo_at(c->p, i, &photo); i++) {
        int n = album_size(c, photo.album, i);
        if (n > 0 && ia_native_list_item(&list)) {
            ia_jsonw_kv(c->w, "album", photo.album);
            ia_jsonw_kv_int(c->w, "count", n);
            ia_jsonw_end_object(c->w);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

static void put_photo(const struct ia_native_call *c, const struct photo *photo, int number)
{
    char taken[IA_NATIVE_TIME_SIZE];
    ia_native_time_text(photo->taken_ms, false, taken);
    ia_native_put_id(c->w, number);
    ia_jsonw_kv(c->w, "name", photo->name);
    ia_jsonw_kv(c->w, "kind", kind_of(photo));
    ia_jsonw_kv(c->w, "taken", taken);
    ia_jsonw_kv(c->w, "album", photo->album);
    if (photo->width > 0) {
        ia_jsonw_kv_int(c->w, "width", photo->width);
        ia_jsonw_kv_int(c->w, "height", photo->height);
    }
    ia_jsonw_end_object(c->w);
}

enum ia_rc ia_native_photo_search(struct ia_native_call *c)
{
    const char *album = ia_native_text(c, "album"), *kind = ia_native_text(c, "kind");
    int64_t from = INT64_MIN, to = INT64_MAX;
    struct photo photo;
    enum ia_rc rc = ia_native_span(c, &from, &to);
    if (rc == IA_OK && *kind && strcmp(kind, "photo") != 0 && strcmp(kind, "video") != 0) {
        rc = ia_err_set(c->err, IA_E_USAGE, "photo.search: \"kind\" is photo or video");
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_native_list list = ia_native_list_begin(c->w, "photos");
    for (int i = 0; i < photos_shown(c) && photo_at(c->p, i, &photo); i++) {
        bool in = photo.taken_ms >= from && photo.taken_ms < to;
        if (in && (!*album || strcasecmp(photo.album, album) == 0) &&
            (!*kind || strcmp(kind_of(&photo), kind) == 0) && ia_native_list_item(&list)) {
            put_photo(c, &photo, i + 1);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

/* ---- music ------------------------------------------------------------------------------- */

enum ia_rc ia_native_music_search(struct ia_native_call *c)
{
    struct ia_native_list list = ia_native_list_begin(c->w, "songs");
    for (int i = 0; i < IA_SONGS; i++) {
        if (ia_song_matches(i, ia_native_text(c, "query")) && ia_native_list_item(&list)) {
            ia_song_json(i, c->w);
            ia_jsonw_end_object(c->w);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

enum ia_rc ia_native_music_status(struct ia_native_call *c)
{
    if (c->w) {
        ia_music_json(ia_music_of_const(c->p), c->w);
    }
    return IA_OK;
}

/* The song that the arguments mean; one that is on already where they name none. */
static enum ia_rc the_song(const struct ia_native_call *c, int *ret)
{
    const char *query = ia_native_text(c, "query");
    *ret = *query ? ia_music_find(query) : ia_music_of_const(c->p)->song;
    if (*ret != IA_NO_SONG) {
        return IA_OK;
    }
    enum ia_rc rc = *query
                        ? ia_native_missing(c, "song", query)
                        : ia_err_set(c->err, IA_E_STATE, "no song is on that could be played");
    ia_err_hint(c->err, "music.search shows what there is");
    return rc;
}

enum ia_rc ia_native_music_play(struct ia_native_call *c)
{
    int song;
    enum ia_rc rc = the_song(c, &song);
    if (rc == IA_OK && c->w) {
        ia_music_of(c->p)->song = song;
        ia_music_of(c->p)->playing = true;
    }
    return rc == IA_OK ? ia_native_music_status(c) : rc;
}

enum ia_rc ia_native_music_queue(struct ia_native_call *c)
{
    struct ia_music *m = ia_music_of(c->p);
    int song;
    enum ia_rc rc = the_song(c, &song);
    if (rc == IA_OK && m->queued == IA_MUSIC_QUEUE_MAX) {
        rc = ia_err_set(c->err, IA_E_LIMIT, "the queue has room for %d songs",
                        IA_MUSIC_QUEUE_MAX);
    }
    if (rc == IA_OK && c->w) {
        m->queue[m->queued++] = song;
    }
    return rc == IA_OK ? ia_native_music_status(c) : rc;
}

enum ia_rc ia_native_music_pause(struct ia_native_call *c)
{
    if (c->w) {
        ia_music_of(c->p)->playing = false;
    }
    return ia_native_music_status(c);
}

/* ---- shortcuts --------------------------------------------------------------------------- */

enum ia_rc ia_native_shortcuts_list(struct ia_native_call *c)
{
    const struct ia_shortcuts *s = ia_shortcuts_of_const(c->p);
    struct ia_native_list list = ia_native_list_begin(c->w, "shortcuts");
    for (int i = 0; i < s->count; i++) {
        if (ia_native_list_item(&list)) {
            ia_jsonw_kv(c->w, "name", s->rows[i].name);
            ia_jsonw_kv_int(c->w, "steps", s->rows[i].count);
            ia_jsonw_kv_bool(c->w, "input", ia_shortcut_takes_input(&s->rows[i]));
            ia_jsonw_end_object(c->w);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}
