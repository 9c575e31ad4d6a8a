/* pictures.c: pictures by their SHA-256, the one that was needed last first. */
#include "server/api/pictures.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    char sha256[IA_SHA256_HEX_SIZE];
    char *bytes;
    size_t n;
};

struct ia_pictures_kept {
    pthread_mutex_t mutex;
    struct picture list[IA_PICTURES_KEPT];
};

struct ia_pictures_kept *ia_pictures_new(void)
{
    struct ia_pictures_kept *p = ia_calloc(1, sizeof(*p));
    pthread_mutex_init(&p->mutex, NULL);
    return p;
}

void ia_pictures_free(struct ia_pictures_kept *p)
{
    if (p) {
        for (size_t i = 0; i < IA_PICTURES_KEPT; i++) {
            free(p->list[i].bytes);
        }
        pthread_mutex_destroy(&p->mutex);
        free(p);
    }
}

/* Its place, or IA_PICTURES_KEPT. */
static size_t find(const struct ia_pictures_kept *p, const char *sha256)
{
    size_t i = sha256[0] != '\0' ? 0 : IA_PICTURES_KEPT;
    while (i < IA_PICTURES_KEPT && strcmp(p->list[i].sha256, sha256) != 0) {
        i++;
    }
    return i;
}

static void move_to_front(struct ia_pictures_kept *p, size_t i)
{
    struct picture moved = p->list[i];
    memmove(p->list + 1, p->list, i * sizeof(moved));
    p->list[0] = moved;
}

void ia_pictures_keep(struct ia_pictures_kept *p, const char *sha256, struct ia_str png)
{
    pthread_mutex_lock(&p->mutex);
    size_t i = find(p, sha256);
    if (i == IA_PICTURES_KEPT) {
        struct picture *last = &p->list[--i];
        free(last->bytes);
        *last = (struct picture){.bytes = ia_strndup(png.p, png.n), .n = png.n};
        memcpy(last->sha256, sha256, IA_SHA256_HEX_SIZE);
    }
    move_to_front(p, i);
    pthread_mutex_unlock(&p->mutex);
}

bool ia_pictures_need(struct ia_pictures_kept *p, const char *sha256)
{
    pthread_mutex_lock(&p->mutex);
    size_t i = find(p, sha256);
    if (i < IA_PICTURES_KEPT) {
        move_to_front(p, i);
    }
    pthread_mutex_unlock(&p->mutex);
    return i < IA_PICTURES_KEPT;
}

bool ia_pictures_get(struct ia_pictures_kept *p, const char *sha256, struct ia_buf *ret)
{
    pthread_mutex_lock(&p->mutex);
    size_t i = find(p, sha256);
    if (i < IA_PICTURES_KEPT) {
        ia_buf_put(ret, p->list[i].bytes, p->list[i].n);
    }
    pthread_mutex_unlock(&p->mutex);
    return i < IA_PICTURES_KEPT;
}
