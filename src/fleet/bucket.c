/* bucket.c: values of a bucket (JetStream's key-value store). Each call opens the bucket's handle, since buckets are used a
 * few times a minute. */
#include "fleet/bus_impl.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, SUBJECT_SIZE = 128, SWAP_WAIT_MS = 2000 };
static const int64_t NS_PER_S = 1000000000;

static enum ia_rc open_bucket(struct ia_bus *bus, const char *bucket, kvStore **ret,
                              struct ia_err *err)
{
    return ia_bus_fail(bus, bus->nats->js_KeyValue_(ret, bus->js, bucket), 0, "open the bucket",
                       err);
}

enum ia_rc ia_bus_add_bucket(struct ia_bus *bus, const char *bucket, int64_t ttl_s,
                             int replicas, struct ia_err *err)
{
    kvConfig c;
    kvStore *kv = NULL;
    natsStatus s = bus->nats->js_KeyValue_(&kv, bus->js, bucket);
    if (s == NATS_NOT_FOUND) {
        (void)bus->nats->kvConfig_Init_(&c);
        c.Bucket = bucket;
        c.TTL = ttl_s * NS_PER_S;
        c.History = 1;
        c.Replicas = replicas;
        s = bus->nats->js_CreateKeyValue_(&kv, bus->js, &c);
    }
    bus->nats->kvStore_Destroy_(kv);
    return ia_bus_fail(bus, s, 0, "make the bucket", err);
}

/* A bucket is a stream whose subjects are its keys. Writes with a revision use the stream directly, since the library's
 * functions for buckets do not tell why the server refused a write. */
struct place {
    char stream[NAME_SIZE], subject[SUBJECT_SIZE];
};

static struct place place_of(const char *bucket, const char *key)
{
    struct place p;
    (void)snprintf(p.stream, sizeof(p.stream), "KV_%s", bucket);
    (void)snprintf(p.subject, sizeof(p.subject), "$KV.%s.%s", bucket, key);
    return p;
}

enum ia_rc ia_bus_bucket_ttl(struct ia_bus *bus, const char *bucket, int64_t *ret_ms,
                             struct ia_err *err)
{
    const struct place p = place_of(bucket, "");
    jsStreamInfo *info = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_GetStreamInfo_(&info, bus->js, p.stream, NULL, &js);
    if (s == NATS_OK) {
        *ret_ms = info->Config->MaxAge / (NS_PER_S / 1000);
    }
    bus->nats->jsStreamInfo_Destroy_(info);
    return ia_bus_fail(bus, s, (int)js, "read the bucket", err);
}

enum ia_rc ia_bus_get(struct ia_bus *bus, const char *bucket, const char *key,
                      struct ia_buf *ret_value, uint64_t *ret_revision, struct ia_err *err)
{
    const struct place p = place_of(bucket, key);
    natsMsg *m = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_GetLastMsg_(&m, bus->js, p.stream, p.subject, NULL, &js);
    if (s == NATS_OK) {
        ia_buf_put(ret_value, bus->nats->natsMsg_GetData_(m),
                   (size_t)bus->nats->natsMsg_GetDataLength_(m));
        *ret_revision = bus->nats->natsMsg_GetSequence_(m);
        bus->nats->natsMsg_Destroy_(m);
    } else if (js == JSNoMessageFoundErr) {
        *ret_revision = 0;
        return IA_OK;
    }
    return ia_bus_fail(bus, s, (int)js, "read a value", err);
}

enum ia_rc ia_bus_set(struct ia_bus *bus, const char *bucket, const char *key,
                      const char *value, struct ia_err *err)
{
    kvStore *kv = NULL;
    uint64_t revision;
    enum ia_rc rc = open_bucket(bus, bucket, &kv, err);
    if (rc == IA_OK) {
        rc = ia_bus_fail(bus, bus->nats->kvStore_PutString_(&revision, kv, key, value), 0,
                         "write a value", err);
    }
    bus->nats->kvStore_Destroy_(kv);
    return rc;
}

enum ia_rc ia_bus_swap(struct ia_bus *bus, const char *bucket, const char *key,
                       const char *value, uint64_t revision, uint64_t *ret_revision,
                       struct ia_err *err)
{
    const struct place p = place_of(bucket, key);
    jsPubOptions o;
    jsPubAck *ack = NULL;
    jsErrCode js = 0;
    (void)bus->nats->jsPubOptions_Init_(&o);
    o.MaxWait = SWAP_WAIT_MS;
    o.ExpectNoMessage = revision == 0;
    o.ExpectLastSubjectSeq = revision;
    natsStatus s =
        bus->nats->js_Publish_(&ack, bus->js, p.subject, value, (int)strlen(value), &o, &js);
    if (s == NATS_OK) {
        *ret_revision = ack->Sequence;
    }
    bus->nats->jsPubAck_Destroy_(ack);
    return ia_bus_fail(bus, s, (int)js, "take a value", err);
}

enum ia_rc ia_bus_listen_value(struct ia_bus *bus, const char *bucket, const char *key,
                               ia_bus_heard *fn, void *ctx, struct ia_bus_watch **ret,
                               struct ia_err *err)
{
    const struct place p = place_of(bucket, key);
    return ia_bus_listen(bus, p.subject, fn, ctx, ret, err);
}

void ia_bus_unset(struct ia_bus *bus, const char *bucket, const char *key)
{
    kvStore *kv = NULL;
    if (open_bucket(bus, bucket, &kv, NULL) == IA_OK) {
        (void)bus->nats->kvStore_Delete_(kv, key);
    }
    bus->nats->kvStore_Destroy_(kv);
}

static void give(struct ia_bus *bus, kvStore *kv, const char *key, ia_bus_value *fn, void *ctx)
{
    kvEntry *entry = NULL;
    if (bus->nats->kvStore_Get_(&entry, kv, key) == NATS_OK) {
        const char *value = bus->nats->kvEntry_ValueString_(entry);
        fn(ctx, key, value ? value : "");
    }
    bus->nats->kvEntry_Destroy_(entry);
}

enum ia_rc ia_bus_values(struct ia_bus *bus, const char *bucket, ia_bus_value *fn, void *ctx,
                         struct ia_err *err)
{
    kvStore *kv = NULL;
    kvKeysList keys = {0};
    enum ia_rc rc = open_bucket(bus, bucket, &kv, err);
    if (rc == IA_OK) {
        natsStatus s = bus->nats->kvStore_Keys_(&keys, kv, NULL);
        rc = s == NATS_NOT_FOUND ? IA_OK : ia_bus_fail(bus, s, 0, "list the bucket", err);
    }
    for (int i = 0; rc == IA_OK && i < keys.Count; i++) {
        give(bus, kv, keys.Keys[i], fn, ctx);
    }
    bus->nats->kvKeysList_Destroy_(&keys);
    bus->nats->kvStore_Destroy_(kv);
    return rc;
}
