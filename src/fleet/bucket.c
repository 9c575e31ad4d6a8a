/* bucket.c: values of a bucket (JetStream's key-value store). A bucket's handle is opened for each call: what uses them
 * does so a few times a minute. */
#include "fleet/bus_impl.h"

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
    (void)bus->nats->kvConfig_Init_(&c);
    c.Bucket = bucket;
    c.TTL = ttl_s * INT64_C(1000000000);
    c.History = 1;
    c.Replicas = replicas;
    natsStatus s = bus->nats->js_CreateKeyValue_(&kv, bus->js, &c);
    bus->nats->kvStore_Destroy_(kv);
    return ia_bus_fail(bus, s, 0, "make the bucket", err);
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
    kvStore *kv = NULL;
    enum ia_rc rc = open_bucket(bus, bucket, &kv, err);
    if (rc == IA_OK) {
        natsStatus s =
            revision == 0
                ? bus->nats->kvStore_CreateString_(ret_revision, kv, key, value)
                : bus->nats->kvStore_UpdateString_(ret_revision, kv, key, value, revision);
        rc = ia_bus_fail(bus, s, 0, "take a value", err);
        /* The library tells a lost race from other errors by nothing else. */
        rc = s == NATS_ERR || s == NATS_INVALID_ARG ? (err->code = IA_E_STATE) : rc;
    }
    bus->nats->kvStore_Destroy_(kv);
    return rc;
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
