/* served.h: an embedded phone served in a thread of this process, and a plain client of the
 * wire that knows nothing but the codec. */
#ifndef IA_TESTS_SERVE_SERVED_H
#define IA_TESTS_SERVE_SERVED_H

#include "test.h"

#include "driver/embedded/serve/serve.h"
#include "wire/wire.h"

#include <pthread.h>

#define SETTINGS "com.apple.Preferences"
#define CONTACTS "com.apple.MobileAddressBook"
#define SHOP "com.example.shop"
#define SPRINGBOARD "com.apple.springboard"

struct served {
    struct ia_serve *serve;
    struct ia_cancel *cancel;
    pthread_t thread;
    int port;
};
/* A phone in memory; query and token may be NULL. */
struct served served_start(const char *query, const char *token);
/* A phone whose log is in a folder. */
struct served served_start_in(const char *folder, const char *name, const char *query);
/* Stops the thread; the phone may be asked by ia_serve_phone until served_end. */
void served_stop(struct served *s);
void served_end(struct served *s);

struct client {
    int fd;
    struct ia_wire_reader reader;
    uint32_t id;
};
struct client client_open(int port);
void client_close(struct client *c);
void client_send(struct client *c, struct ia_wire_request *req);
/* The next reply; ia_wire_reply_fini. */
struct ia_wire_reply client_recv(struct client *c);
struct ia_wire_reply client_ask(struct client *c, struct ia_wire_request req);
struct ia_wire_reply client_hello(struct client *c, const char *token);
/* Asks, and compares code and outcome; the reply is freed. */
#define ask_for(c, code, outcome, ...)                                                         \
    client_expect((c), (code), (outcome), (struct ia_wire_request){__VA_ARGS__}, __FILE__,     \
                  __LINE__)
void client_expect(struct client *c, enum ia_wire_code code, enum ia_wire_outcome outcome,
                   struct ia_wire_request req, const char *file, int line);
/* The middle of the last node with that identifier or label. The test fails without one. */
struct ia_wire_point client_find(struct client *c, const char *name);
void client_tap(struct client *c, const char *name);

/* A served phone and a client that needs no hello. */
struct pair {
    struct served s;
    struct client c;
};
/* query may be NULL. */
struct pair pair_open(const char *query);
/* Stops the server and ends the phone. */
void pair_close(struct pair *p);
/* Launches the app, which must succeed. */
void launch(struct pair *p, const char *app);

#endif
