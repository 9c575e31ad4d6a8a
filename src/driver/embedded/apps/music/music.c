/* music.c: a library of ten songs. A touch plays one; the first row pauses what plays. */
#include "driver/embedded/apps/music/music.h"

#include <stdio.h>
#include <stdlib.h>

const struct ia_song ia_songs[IA_SONGS] = {
    {"Morning Train", "The Lanterns", "Northbound", 214},
    {"Glass Harbour", "The Lanterns", "Northbound", 187},
    {"Paper Boats", "Ines Moreau", "Low Tide", 241},
    {"Low Tide", "Ines Moreau", "Low Tide", 198},
    {"Signal Hill", "Ostwind", "Relay", 305},
    {"Relay", "Ostwind", "Relay", 276},
    {"Blue Door", "Kofi Mensah Trio", "Live at Nine", 352},
    {"Slow Clock", "Kofi Mensah Trio", "Live at Nine", 411},
    {"Winter Garden", "Hana Ito", "Quiet Rooms", 163},
    {"Quiet Rooms", "Hana Ito", "Quiet Rooms", 229},
};

bool ia_song_matches(int song, const char *query)
{
    return ia_kit_matches(ia_songs[song].title, query) ||
           ia_kit_matches(ia_songs[song].artist, query) ||
           ia_kit_matches(ia_songs[song].album, query);
}

int ia_music_find(const char *query)
{
    for (int i = 0; i < IA_SONGS; i++) {
        if (ia_kit_matches(ia_songs[i].title, query)) {
            return i;
        }
    }
    for (int i = 0; i < IA_SONGS; i++) {
        if (ia_song_matches(i, query)) {
            return i;
        }
    }
    return IA_NO_SONG;
}

void ia_song_json(int song, struct ia_jsonw *w)
{
    char id[12];
    (void)snprintf(id, sizeof(id), "%d", song + 1);
    ia_jsonw_kv(w, "id", id);
    ia_jsonw_kv(w, "title", ia_songs[song].title);
    ia_jsonw_kv(w, "artist", ia_songs[song].artist);
    ia_jsonw_kv(w, "album", ia_songs[song].album);
    ia_jsonw_kv_int(w, "seconds", ia_songs[song].seconds);
}

static void song_json(int song, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_song_json(song, w);
    ia_jsonw_end_object(w);
}

void ia_music_json(const struct ia_music *m, struct ia_jsonw *w)
{
    ia_jsonw_kv_bool(w, "playing", m->playing);
    ia_jsonw_key(w, "song");
    if (m->song == IA_NO_SONG) {
        ia_jsonw_null(w);
    } else {
        song_json(m->song, w);
    }
    ia_jsonw_key(w, "queue");
    ia_jsonw_array(w);
    for (int i = 0; i < m->queued; i++) {
        song_json(m->queue[i], w);
    }
    ia_jsonw_end_array(w);
}

struct ia_music *ia_music_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_music)->data;
}

const struct ia_music *ia_music_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_music)->data;
}

/* ---- the app ----------------------------------------------------------------------------- */

static void play(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_music *m = ia_music_of(p);
    m->song = t->arg;
    m->playing = true;
}

static void pause_or_go_on(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_music_of(p)->playing = !ia_music_of(p)->playing;
}

static void now_playing(struct ia_kit *k, const struct ia_music *m)
{
    const struct ia_song *s = &ia_songs[m->song];
    ia_kit_section(k, m->playing ? "NOW PLAYING" : "PAUSED");
    ia_kit_row(k, &(struct ia_kit_row){.label = m->playing ? "Pause" : "Play",
                                       .ident = "play-pause",
                                       .detail = s->title,
                                       .button = true,
                                       .tap = pause_or_go_on});
    ia_kit_fact(k, "Up next", "queued", ia_scene_printf(k->scene, "%d", m->queued));
}

static void build(struct ia_kit *k)
{
    const struct ia_music *m = ia_music_of_const(k->phone);
    ia_kit_begin(k, &(struct ia_kit_nav){.large = true, .search = true}, IA_LIST_GROUPED);
    const char *query = ia_kit_query(k);
    if (m->song != IA_NO_SONG && !*query) {
        now_playing(k, m);
    }
    ia_kit_section(k, "SONGS");
    for (int i = 0; i < IA_SONGS; i++) {
        if (ia_song_matches(i, query)) {
            ia_kit_row(k, &(struct ia_kit_row){.label = ia_songs[i].title,
                                               .detail = ia_songs[i].artist,
                                               .tap = play,
                                               .arg = i});
        }
    }
    ia_kit_end(k);
}

static void *create(uint64_t seed)
{
    struct ia_music *m = ia_calloc(1, sizeof(*m));
    (void)seed;
    m->song = IA_NO_SONG;
    return m;
}

static void state_json(const void *data, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "music");
    ia_jsonw_object(w);
    ia_music_json(data, w);
    ia_jsonw_end_object(w);
}

static void example(void *data)
{
    struct ia_music *m = data;
    m->song = 0;
    m->queue[m->queued++] = 1;
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("music:"));
}

static const struct ia_screen screen = {"Music", build, NULL, NULL};
static const struct ia_field fields[] = {
    {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
};

const struct ia_app ia_app_music = {
    .bundle_id = "com.apple.Music",
    .name = "Music",
    .icon = IA_ICON_CATALOG,
    .off_home = true,
    .root = &screen,
    .fields = fields,
    .create = create,
    .destroy = free,
    .example = example,
    .takes_url = takes_url,
    .state_json = state_json,
};
