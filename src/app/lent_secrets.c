/* lent_secrets.c: a list of values, each with its run. */
#include "app/lent_secrets.h"

#include "agent/goal/request.h"
#include "store/store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lent {
    struct lent *next;
    char run_id[IA_ID_SIZE], name[IA_SECRET_NAME_MAX + 1];
    struct ia_secret *value;
};

struct ia_lent_secrets {
    pthread_mutex_t mutex; /* guards the list */
    struct lent *first;
};

struct ia_lent_secrets *ia_lent_secrets_new(void)
{
    struct ia_lent_secrets *t = ia_calloc(1, sizeof(*t));
    pthread_mutex_init(&t->mutex, NULL);
    return t;
}

/* Removes the run's values, or all: NULL. */
static void drop(struct ia_lent_secrets *t, const char *run_id)
{
    pthread_mutex_lock(&t->mutex);
    for (struct lent **at = &t->first; *at;) {
        struct lent *l = *at;
        if (run_id && strcmp(l->run_id, run_id) != 0) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        ia_secret_free(l->value);
        free(l);
    }
    pthread_mutex_unlock(&t->mutex);
}

void ia_lent_secrets_free(struct ia_lent_secrets *t)
{
    if (t) {
        drop(t, NULL);
        pthread_mutex_destroy(&t->mutex);
        free(t);
    }
}

void ia_lent_secrets_give(struct ia_lent_secrets *t, const char *run_id, const char *name,
                          struct ia_secret *value)
{
    struct lent *l = ia_calloc(1, sizeof(*l));
    (void)snprintf(l->run_id, sizeof(l->run_id), "%s", run_id);
    (void)snprintf(l->name, sizeof(l->name), "%s", name);
    l->value = value;
    pthread_mutex_lock(&t->mutex);
    l->next = t->first;
    t->first = l;
    pthread_mutex_unlock(&t->mutex);
}

bool ia_lent_secrets_value(struct ia_lent_secrets *t, const char *run_id, const char *name,
                           struct ia_buf *ret)
{
    pthread_mutex_lock(&t->mutex);
    const struct lent *l = t->first;
    while (l && (strcmp(l->run_id, run_id) != 0 || strcmp(l->name, name) != 0)) {
        l = l->next;
    }
    if (l) {
        ia_buf_putstr(ret, ia_secret_bytes(l->value));
    }
    pthread_mutex_unlock(&t->mutex);
    return l != NULL;
}

void ia_lent_secrets_end(struct ia_lent_secrets *t, const char *run_id)
{
    drop(t, run_id);
}
