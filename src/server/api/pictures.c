/* pictures.c: a ring of pictures by their SHA-256. */
#include "server/api/pictures.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ia_pictures_kept {
    pthread_mutex_t mutex;
    struct {
        char sha256[IA_SHA256_HEX_SIZE];
        char *bytes;
        size_t n;
    } ring[IA_PICTURES_KEPT];
    size_t next;
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
            free(p->ring[i].bytes);
        }
        pthread_mutex_destroy(&p->mutex);
        free(p);
    }
}

/* Its place, or IA_PICTURES_KEPT. */
static size_t find(const struct ia_pictures_kept *p, const char *sha256)
{
    size_t i = 0;
    while (i < IA_PICTURES_KEPT && strcmp(p->ring[i].sha256, sha256) != 0) {
        i++;
    }
    return i;
}

void ia_pictures_keep(struct ia_pictures_kept *p, const char *sha256, struct ia_str png)
{
    pthread_mutex_lock(&p->mutex);
    if (find(p, sha256) == IA_PICTURES_KEPT) {
        size_t i = p->next;
        p->next = (i + 1) % IA_PICTURES_KEPT;
        free(p->ring[i].bytes);
        p->ring[i].bytes = ia_strndup(png.p, png.n);
        p->ring[i].n = png.n;
        memcpy(p->ring[i].sha256, sha256, IA_SHA256_HEX_SIZE);
    }
    pthread_mutex_unlock(&p->mutex);
}

bool ia_pictures_get(struct ia_pictures_kept *p, const char *sha256, struct ia_buf *ret)
{
    pthread_mutex_lock(&p->mutex);
    size_t i = sha256[0] != '\0' ? find(p, sha256) : IA_PICTURES_KEPT;
    if (i < IA_PICTURES_KEPT) {
        ia_buf_put(ret, p->ring[i].bytes, p->ring[i].n);
    }
    pthread_mutex_unlock(&p->mutex);
    return i < IA_PICTURES_KEPT;
}
