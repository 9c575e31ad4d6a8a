/* request.c: the words by which users and files name the choices of a request. */
#include "agent/goal/request.h"

#include <string.h>

static const char *const setup_names[] = {"reset", "launch", "terminate", "open-url"};

const char *ia_pictures_name(enum ia_pictures pictures)
{
    static const char *const names[IA_PICTURES_COUNT] = {"end", "steps", "off", "sharp"};
    return names[pictures];
}

enum ia_pictures ia_pictures_from_name(const char *name)
{
    int i = 0;
    while (i < IA_PICTURES_COUNT &&
           (!name || strcmp(name, ia_pictures_name((enum ia_pictures)i)) != 0)) {
        i++;
    }
    return (enum ia_pictures)i;
}

const char *ia_setup_kind_name(enum ia_setup_kind kind)
{
    return setup_names[kind];
}

bool ia_setup_kind_from_name(struct ia_str name, enum ia_setup_kind *ret)
{
    for (size_t i = 0; i < IA_COUNTOF(setup_names); i++) {
        if (ia_str_is(name, setup_names[i])) {
            *ret = (enum ia_setup_kind)i;
            return true;
        }
    }
    return false;
}

bool ia_secret_name_ok(struct ia_str name)
{
    if (name.n == 0 || name.n > IA_SECRET_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return true;
}

bool ia_run_asks_model(const struct ia_run_request *req)
{
    return !req->replay || strcmp(req->replay, "only") != 0;
}
