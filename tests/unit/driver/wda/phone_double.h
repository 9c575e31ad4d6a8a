/* phone_double.h: WebDriverAgent, or an Appium server before one, as far as a client sees it: sessions, settings,
 * one screen, one alert, in the words of the real ones. It can be told to answer one kind of request
 * badly. */
#ifndef IA_TESTS_UNIT_DRIVER_WDA_PHONE_DOUBLE_H
#define IA_TESTS_UNIT_DRIVER_WDA_PHONE_DOUBLE_H

#include "driver/wda/wda.h"

#include "peer.h"

#include <jansson.h>

#define DOUBLE_FOREIGN "F0000000-0000-0000-0000-000000000001"

/* How requests of one kind are answered instead of as usual. */
struct trouble {
    /* "POST /wda/tap": a request's name (see phone_double.c); NULL: none. Atomic, since a request that its
     * client gave up may still be served. */
    const char *_Atomic on;
    enum peer_how how;
    int times;  /* so many of them, then as usual; 0: all */
    int status; /* with body, instead of the usual answer; 0: the usual one */
    const char *body;
    const char *type;
};

struct phone_double {
    bool appium;
    char session[64]; /* the active one; "": none */
    int sessions;     /* created so far */
    json_t *settings;
    const char *app, *system; /* XML of the app in front, and of SpringBoard */
    const char *buttons;      /* JSON array of the alert; NULL: there is none */
    const char *focus;        /* rect of the focused element as JSON; NULL: none */
    int deepest;              /* a larger snapshotMaxDepth fails; 0: none does */
    int app_state;            /* of every app */
    const char *pasteboard;   /* base64 */
    struct ia_vclock *clock;  /* a source takes slow_ms of it */
    int slow_ms;
    struct trouble trouble;
    struct peer *peer;
};

/* Starts it: a phone with one button and no alert. Members may be changed while no request is under way. */
void double_start(struct phone_double *p, bool appium);
void double_stop(struct phone_double *p);
/* Opens the device on it, with what else opt has; fails the test if that fails. */
struct ia_device *double_open(struct phone_double *p, struct ia_wda_options opt);
/* The same without failing. */
enum ia_rc double_try(struct phone_double *p, struct ia_wda_options opt, struct ia_device **ret,
                      struct ia_err *err);

/* How many requests of that name there were: "POST /wda/tap", whichever way they came. */
size_t double_count(struct phone_double *p, const char *name);
/* The arguments of the last one of that name, to be json_decref'ed; fails the test if there is none. */
json_t *double_last(struct phone_double *p, const char *name);

#endif
