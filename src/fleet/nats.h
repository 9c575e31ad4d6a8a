/* nats.h: libnats, the client of NATS, loaded on first use (base/lazylib.h): it brings OpenSSL and protobuf-c
 * along, and without a fleet nobody pays for them. Nothing here is newer than libnats 3.4.1. Internal. */
#ifndef IA_FLEET_NATS_H
#define IA_FLEET_NATS_H

#include "base/lazylib.h"

#include <nats/nats.h>

#define IA_NATS_SYMS(X)                                                                        \
    X(nats_Open)                                                                               \
    X(nats_GetLastError)                                                                       \
    X(natsStatus_GetText)                                                                      \
    X(natsOptions_Create)                                                                      \
    X(natsOptions_Destroy)                                                                     \
    X(natsOptions_SetURL)                                                                      \
    X(natsOptions_SetName)                                                                     \
    X(natsOptions_SetUserCredentialsFromFiles)                                                 \
    X(natsOptions_SetNKeyFromSeed)                                                             \
    X(natsOptions_SetSecure)                                                                   \
    X(natsOptions_LoadCATrustedCertificates)                                                   \
    X(natsOptions_LoadCertificatesChain)                                                       \
    X(natsOptions_SetCustomInboxPrefix)                                                        \
    X(natsOptions_SetMaxReconnect)                                                             \
    X(natsOptions_SetReconnectWait)                                                            \
    X(natsOptions_SetReconnectBufSize)                                                         \
    X(natsOptions_SetPingInterval)                                                             \
    X(natsOptions_SetMaxPingsOut)                                                              \
    X(natsOptions_SetTimeout)                                                                  \
    X(natsOptions_SetErrorHandler)                                                             \
    X(natsConnection_Connect)                                                                  \
    X(natsConnection_Destroy)                                                                  \
    X(natsConnection_Status)                                                                   \
    X(natsConnection_GetMaxPayload)                                                            \
    X(natsConnection_Publish)                                                                  \
    X(natsConnection_Subscribe)                                                                \
    X(natsConnection_SubscribeSync)                                                            \
    X(natsConnection_FlushTimeout)                                                             \
    X(natsConnection_JetStream)                                                                \
    X(natsSubscription_Destroy)                                                                \
    X(natsSubscription_SetOnCompleteCB)                                                        \
    X(natsSubscription_NextMsg)                                                                \
    X(natsSubscription_Fetch)                                                                  \
    X(natsSubscription_FetchRequest)                                                           \
    X(jsFetchRequest_Init)                                                                     \
    X(natsSubscription_SetPendingLimits)                                                       \
    X(natsMsg_Destroy)                                                                         \
    X(natsMsg_GetSubject)                                                                      \
    X(natsMsg_GetData)                                                                         \
    X(natsMsg_GetDataLength)                                                                   \
    X(natsMsg_GetMetaData)                                                                     \
    X(natsMsg_GetSequence)                                                                     \
    X(natsMsg_Ack)                                                                             \
    X(natsMsg_AckSync)                                                                         \
    X(natsMsg_NakWithDelay)                                                                    \
    X(natsMsg_InProgress)                                                                      \
    X(natsMsgList_Destroy)                                                                     \
    X(jsCtx_Destroy)                                                                           \
    X(jsMsgMetaData_Destroy)                                                                   \
    X(jsPubOptions_Init)                                                                       \
    X(jsPubAck_Destroy)                                                                        \
    X(jsStreamConfig_Init)                                                                     \
    X(jsStreamInfo_Destroy)                                                                    \
    X(jsConsumerConfig_Init)                                                                   \
    X(jsConsumerInfo_Destroy)                                                                  \
    X(jsSubOptions_Init)                                                                       \
    X(jsOptions_Init)                                                                          \
    X(js_Publish)                                                                              \
    X(js_AddStream)                                                                            \
    X(js_GetStreamInfo)                                                                        \
    X(js_PurgeStream)                                                                          \
    X(js_AddConsumer)                                                                          \
    X(js_GetConsumerInfo)                                                                      \
    X(js_Consumers)                                                                            \
    X(jsConsumerInfoList_Destroy)                                                              \
    X(js_DeleteConsumer)                                                                       \
    X(js_GetLastMsg)                                                                           \
    X(js_PullSubscribe)                                                                        \
    X(js_KeyValue)                                                                             \
    X(js_CreateKeyValue)                                                                       \
    X(kvConfig_Init)                                                                           \
    X(kvStore_Destroy)                                                                         \
    X(kvStore_Get)                                                                             \
    X(kvStore_PutString)                                                                       \
    X(kvStore_Delete)                                                                          \
    X(kvStore_Keys)                                                                            \
    X(kvKeysList_Destroy)                                                                      \
    X(kvEntry_ValueString)                                                                     \
    X(kvEntry_Destroy)

struct ia_nats {
    IA_NATS_SYMS(IA_LAZY_FIELD)
};

/* The loaded library, or NULL with err (IA_E_MISSING). Any thread. */
const struct ia_nats *ia_nats(struct ia_err *err);

#endif
