/* consumer.c: pull consumers. A pulled message belongs to its worker until the worker acknowledges it, gives it back, or does
 * not prolong it in time. */
#include "fleet/bus_impl.h"

#include <stdlib.h>

enum { NO_WAIT_MS = 1000, MAX_WAITING = 2048 };
static const int64_t NS_PER_MS = 1000000;

struct ia_bus_pull {
    struct ia_bus *bus;
    natsSubscription *subscription;
};

enum ia_rc ia_bus_add_consumer(struct ia_bus *bus, const struct ia_bus_consumer *consumer,
                               struct ia_err *err)
{
    jsConsumerConfig c;
    jsConsumerInfo *info = NULL;
    jsErrCode js = 0;
    (void)bus->nats->jsConsumerConfig_Init_(&c);
    c.Durable = consumer->name;
    c.FilterSubject = consumer->filter;
    c.AckPolicy = js_AckExplicit;
    c.AckWait = consumer->ack_wait_ms * NS_PER_MS;
    c.MaxDeliver = -1; /* workers count attempts and give up with a verdict */
    c.MaxAckPending = consumer->pending_max;
    c.MaxWaiting = MAX_WAITING;
    natsStatus s = bus->nats->js_AddConsumer_(&info, bus->js, consumer->stream, &c, NULL, &js);
    bus->nats->jsConsumerInfo_Destroy_(info);
    return ia_bus_fail(bus, s, (int)js, "make the consumer", err);
}

enum ia_rc ia_bus_remove_consumer(struct ia_bus *bus, const char *stream, const char *name,
                                  struct ia_err *err)
{
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_DeleteConsumer_(bus->js, stream, name, NULL, &js);
    return ia_bus_fail(bus, s, (int)js, "remove the consumer", err);
}

enum ia_rc ia_bus_consumer_count(struct ia_bus *bus, const char *stream, const char *name,
                                 uint64_t *ret_waiting, uint64_t *ret_in_hand,
                                 struct ia_err *err)
{
    jsConsumerInfo *info = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_GetConsumerInfo_(&info, bus->js, stream, name, NULL, &js);
    if (s == NATS_OK) {
        *ret_waiting = info->NumPending;
        *ret_in_hand = info->NumAckPending > 0 ? (uint64_t)info->NumAckPending : 0;
    }
    bus->nats->jsConsumerInfo_Destroy_(info);
    return ia_bus_fail(bus, s, (int)js, "read the consumer", err);
}

enum ia_rc ia_bus_consumers(struct ia_bus *bus, const char *stream, ia_bus_consumer_seen *fn,
                            void *ctx, struct ia_err *err)
{
    jsConsumerInfoList *all = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_Consumers_(&all, bus->js, stream, NULL, &js);
    for (int i = 0; s == NATS_OK && i < all->Count; i++) {
        const jsConsumerInfo *c = all->List[i];
        fn(ctx, c->Name ? c->Name : "", c->NumPending,
           c->NumAckPending > 0 ? (uint64_t)c->NumAckPending : 0);
    }
    bus->nats->jsConsumerInfoList_Destroy_(all);
    /* A missing consumer is NATS_NOT_FOUND, without a code of the server. */
    return s == NATS_NOT_FOUND && js == 0
               ? IA_OK
               : ia_bus_fail(bus, s, (int)js, "list the queues", err);
}

enum ia_rc ia_bus_pull_open(struct ia_bus *bus, const char *stream, const char *consumer,
                            struct ia_bus_pull **ret, struct ia_err *err)
{
    jsSubOptions o;
    jsErrCode js = 0;
    natsSubscription *sub = NULL;
    (void)bus->nats->jsSubOptions_Init_(&o);
    o.Stream = stream;
    o.Consumer = consumer;
    natsStatus s = bus->nats->js_PullSubscribe_(&sub, bus->js, NULL, consumer, NULL, &o, &js);
    if (s != NATS_OK) {
        return ia_bus_fail(bus, s, (int)js, "take part in the queue", err);
    }
    struct ia_bus_pull *p = ia_calloc(1, sizeof(*p));
    *p = (struct ia_bus_pull){bus, sub};
    *ret = p;
    return IA_OK;
}

void ia_bus_pull_close(struct ia_bus_pull *pull)
{
    if (pull) {
        pull->bus->nats->natsSubscription_Destroy_(pull->subscription);
        free(pull);
    }
}

static enum ia_rc take(struct ia_bus *bus, natsMsg *m, struct ia_bus_message *ret,
                       struct ia_err *err)
{
    jsMsgMetaData *meta = NULL;
    natsStatus s = bus->nats->natsMsg_GetMetaData_(&meta, m);
    *ret = (struct ia_bus_message){
        .handle = m,
        .subject = bus->nats->natsMsg_GetSubject_(m),
        .body = {bus->nats->natsMsg_GetData_(m), (size_t)bus->nats->natsMsg_GetDataLength_(m)},
        .deliveries = s == NATS_OK ? meta->NumDelivered : 0,
    };
    bus->nats->jsMsgMetaData_Destroy_(meta);
    return ia_bus_fail(bus, s, 0, "read a message", err);
}

enum ia_rc ia_bus_fetch(struct ia_bus_pull *pull, int64_t ms, struct ia_bus_message *ret,
                        bool *ret_got, struct ia_err *err)
{
    struct ia_bus *bus = pull->bus;
    natsMsgList list = {0};
    jsErrCode js = 0;
    natsStatus s = bus->nats->natsSubscription_Fetch_(&list, pull->subscription, 1, ms, &js);
    *ret_got = s == NATS_OK && list.Count == 1;
    if (*ret_got) {
        enum ia_rc rc = take(bus, list.Msgs[0], ret, err);
        list.Msgs[0] = NULL; /* it is the caller's */
        list.Count = 0;
        bus->nats->natsMsgList_Destroy_(&list);
        return rc;
    }
    bus->nats->natsMsgList_Destroy_(&list);
    enum ia_rc rc = ia_bus_fail(bus, s, (int)js, "fetch", err);
    return rc == IA_E_TIMEOUT ? IA_OK : rc;
}

enum ia_rc ia_bus_fetch_waiting(struct ia_bus_pull *pull, size_t max,
                                struct ia_bus_message *ret, size_t *ret_n, struct ia_err *err)
{
    struct ia_bus *bus = pull->bus;
    natsMsgList list = {0};
    jsFetchRequest request;
    enum ia_rc rc = IA_OK;
    (void)bus->nats->jsFetchRequest_Init_(&request);
    request.Batch = (int)max;
    request.NoWait = true;
    request.Expires = NO_WAIT_MS * NS_PER_MS;
    natsStatus s =
        bus->nats->natsSubscription_FetchRequest_(&list, pull->subscription, &request);
    *ret_n = 0;
    for (int i = 0; s == NATS_OK && rc == IA_OK && i < list.Count; i++) {
        rc = take(bus, list.Msgs[i], &ret[*ret_n], err);
        list.Msgs[i] = NULL;
        ++*ret_n;
    }
    bus->nats->natsMsgList_Destroy_(&list);
    enum ia_rc failed = ia_bus_fail(bus, s, 0, "fetch", rc == IA_OK ? err : NULL);
    return rc != IA_OK ? rc : failed == IA_E_TIMEOUT ? IA_OK : failed;
}

void ia_bus_message_free(struct ia_bus *bus, struct ia_bus_message *m)
{
    bus->nats->natsMsg_Destroy_(m->handle);
    *m = (struct ia_bus_message){.handle = NULL};
}

enum ia_rc ia_bus_ack(struct ia_bus *bus, const struct ia_bus_message *m, bool sync,
                      struct ia_err *err)
{
    jsErrCode js = 0;
    natsStatus s = sync ? bus->nats->natsMsg_AckSync_(m->handle, NULL, &js)
                        : bus->nats->natsMsg_Ack_(m->handle, NULL);
    return ia_bus_fail(bus, s, (int)js, "acknowledge", err);
}

void ia_bus_give_back(struct ia_bus *bus, const struct ia_bus_message *m, int64_t ms)
{
    (void)bus->nats->natsMsg_NakWithDelay_(m->handle, ms, NULL);
}

void ia_bus_prolong(struct ia_bus *bus, const struct ia_bus_message *m)
{
    (void)bus->nats->natsMsg_InProgress_(m->handle, NULL);
}
