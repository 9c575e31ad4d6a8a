/* music.h: the Music app: a library, what plays and what comes next. */
#ifndef IA_DRIVER_EMBEDDED_APPS_MUSIC_MUSIC_H
#define IA_DRIVER_EMBEDDED_APPS_MUSIC_MUSIC_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_music;

struct ia_song {
    const char *title, *artist, *album;
    int seconds;
};
enum { IA_SONGS = 10, IA_MUSIC_QUEUE_MAX = 20, IA_NO_SONG = -1 };
extern const struct ia_song ia_songs[IA_SONGS];

struct ia_music {
    int song; /* of ia_songs; IA_NO_SONG */
    bool playing;
    int queue[IA_MUSIC_QUEUE_MAX];
    int queued;
};

/* Whether its title, artist or album has the text. */
bool ia_song_matches(int song, const char *query);
/* The first song that has the text in its title, artist or album; IA_NO_SONG. */
int ia_music_find(const char *query);
/* The members of a song; the caller opens and closes the object. */
void ia_song_json(int song, struct ia_jsonw *w);
/* "playing", "song" and "queue", as members. */
void ia_music_json(const struct ia_music *m, struct ia_jsonw *w);

struct ia_music *ia_music_of(struct ia_phone *p);
const struct ia_music *ia_music_of_const(const struct ia_phone *p);

#endif
