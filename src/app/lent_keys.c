/* lent_keys.c: a list of clients, each with its key and its run. */
#include "app/lent_keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ia_lent_key {
    struct ia_lent_key *next;
    char run_id[IA_ID_SIZE]; /* "": not yet given */
    struct ia_credentials own;
    struct ia_model_client client;
};

struct ia_lent_keys {
    const struct ia_setup *setup;
    pthread_mutex_t mutex; /* guards the list */
    struct ia_lent_key *first;
    int count;
};

struct ia_lent_keys *ia_lent_keys_new(const struct ia_setup *setup)
{
    struct ia_lent_keys *keys = ia_calloc(1, sizeof(*keys));
    keys->setup = setup;
    pthread_mutex_init(&keys->mutex, NULL);
    return keys;
}

static void free_key(struct ia_lent_key *key)
{
    ia_model_client_close(&key->client);
    ia_credentials_fini(&key->own);
    free(key);
}

void ia_lent_keys_free(struct ia_lent_keys *keys)
{
    if (keys) {
        while (keys->first) {
            struct ia_lent_key *key = keys->first;
            keys->first = key->next;
            free_key(key);
        }
        pthread_mutex_destroy(&keys->mutex);
        free(keys);
    }
}

static enum ia_rc copy(const struct ia_secret *from, struct ia_secret **ret, struct ia_err *err)
{
    return from ? ia_secret_new(ia_secret_bytes(from), ret, err) : IA_OK;
}

/* The list is not locked while the client is opened. */
static bool take_place(struct ia_lent_keys *keys, int by)
{
    pthread_mutex_lock(&keys->mutex);
    bool ok = by < 0 || keys->count < IA_LENT_KEYS_MAX;
    keys->count += ok ? by : 0;
    pthread_mutex_unlock(&keys->mutex);
    return ok;
}

/* A key goes to the server that it is for, and to no other. */
static enum ia_rc open_client(const struct ia_lent_keys *keys, const char *base_url,
                              struct ia_lent_key *key, struct ia_err *err)
{
    struct ia_setup there = {.store = NULL};
    if (!base_url) {
        return ia_model_client_open_again(&key->client, &key->own, keys->setup, false, err);
    }
    enum ia_rc rc = ia_setup_config_in(&there, keys->setup->paths.home, err);
    if (rc == IA_OK) {
        rc = ia_config_set(there.config, IA_CFG_API_BASE_URL, "ANTHROPIC_BASE_URL", base_url,
                           err);
    }
    if (rc == IA_OK) {
        there.store = keys->setup->store;
        rc = ia_model_client_open_again(&key->client, &key->own, &there, false, err);
        there.store = NULL;
    }
    ia_setup_close(&there);
    return rc;
}

enum ia_rc ia_lent_key_open(struct ia_lent_keys *keys, const struct ia_lent *lent,
                            struct ia_lent_key **ret, struct ia_claude **ret_claude,
                            struct ia_err *err)
{
    if (!take_place(keys, 1)) {
        return ia_err_set(err, IA_E_LIMIT, "more than %d runs have a key of their own",
                          IA_LENT_KEYS_MAX);
    }
    struct ia_lent_key *key = ia_calloc(1, sizeof(*key));
    enum ia_rc rc = copy(lent->keys.api_key, &key->own.api_key, err);
    if (rc == IA_OK) {
        rc = copy(lent->keys.auth_token, &key->own.auth_token, err);
    }
    if (rc == IA_OK) {
        rc = open_client(keys, lent->base_url, key, err);
    }
    if (rc != IA_OK) {
        free_key(key);
        (void)take_place(keys, -1);
        return rc;
    }
    *ret = key;
    *ret_claude = key->client.claude;
    return IA_OK;
}

void ia_lent_key_give(struct ia_lent_keys *keys, struct ia_lent_key *key, const char *run_id)
{
    memcpy(key->run_id, run_id, strnlen(run_id, sizeof(key->run_id) - 1));
    pthread_mutex_lock(&keys->mutex);
    key->next = keys->first;
    keys->first = key;
    pthread_mutex_unlock(&keys->mutex);
}

void ia_lent_key_drop(struct ia_lent_keys *keys, struct ia_lent_key *key)
{
    if (key) {
        free_key(key);
        (void)take_place(keys, -1);
    }
}

struct ia_claude *ia_lent_keys_find(struct ia_lent_keys *keys, const char *run_id)
{
    struct ia_claude *found = NULL;
    pthread_mutex_lock(&keys->mutex);
    for (struct ia_lent_key *key = keys->first; key && !found; key = key->next) {
        found = strcmp(key->run_id, run_id) == 0 ? key->client.claude : NULL;
    }
    pthread_mutex_unlock(&keys->mutex);
    return found;
}

void ia_lent_keys_end(struct ia_lent_keys *keys, const char *run_id)
{
    struct ia_lent_key *found = NULL;
    pthread_mutex_lock(&keys->mutex);
    struct ia_lent_key **at = &keys->first;
    while (*at && strcmp((*at)->run_id, run_id) != 0) {
        at = &(*at)->next;
    }
    if (*at) {
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&keys->mutex);
    ia_lent_key_drop(keys, found);
}
