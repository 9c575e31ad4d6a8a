/* operand.c: attributes, and what a key path finds in them. */
#include "server/wda/select/operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ia_wda_member {
    const char *path;
    bool of_rect; /* else of a text */
    double (*read)(const struct ia_wda_value *v);
};

static double left(const struct ia_wda_value *v)
{
    return v->rect.x;
}

static double top(const struct ia_wda_value *v)
{
    return v->rect.y;
}

static double width(const struct ia_wda_value *v)
{
    return v->rect.w;
}

static double height(const struct ia_wda_value *v)
{
    return v->rect.h;
}

/* In UTF-16 units, as Foundation counts: one for each sequence, two for one of four bytes. */
static double length(const struct ia_wda_value *v)
{
    double n = 0;
    for (size_t i = 0; i < v->text.n; i++) {
        unsigned char c = (unsigned char)v->text.p[i];
        n += ((c & 0xC0) != 0x80) + (c >= 0xF0);
    }
    return n;
}

static double as_number(const struct ia_wda_value *v)
{
    double n = strtod(v->text.p, NULL);
    return isfinite(n) ? n : 0;
}

static double as_integer(const struct ia_wda_value *v)
{
    return trunc(as_number(v));
}

static const struct ia_wda_member members[] = {
    {"x", true, left},
    {"y", true, top},
    {"width", true, width},
    {"height", true, height},
    {"origin.x", true, left},
    {"origin.y", true, top},
    {"size.width", true, width},
    {"size.height", true, height},
    {"length", false, length},
    {"intValue", false, as_integer},
    {"integerValue", false, as_integer},
    {"floatValue", false, as_number},
    {"doubleValue", false, as_number},
};

static bool is_rect(enum ia_wda_attribute a)
{
    return a == IA_WDA_RECT || a == IA_WDA_FRAME || a == IA_WDA_NATIVE_FRAME;
}

static bool is_text(enum ia_wda_attribute a)
{
    return a == IA_WDA_NAME || a == IA_WDA_LABEL || a == IA_WDA_VALUE || a == IA_WDA_TYPE ||
           a == IA_WDA_TRAITS || a == IA_WDA_PLACEHOLDER || a == IA_WDA_UID;
}

enum ia_rc ia_wda_operand_key(struct ia_str path, struct ia_wda_operand *ret,
                              struct ia_err *err)
{
    const char *dot = memchr(path.p, '.', path.n);
    struct ia_str head = {path.p, dot ? (size_t)(dot - path.p) : path.n};
    *ret = (struct ia_wda_operand){.is = IA_WDA_KEY};
    enum ia_rc rc = ia_wda_attribute(head, &ret->attribute, err);
    if (rc != IA_OK || !dot) {
        return rc;
    }
    struct ia_str rest = {dot + 1, path.n - head.n - 1};
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        bool fits = members[i].of_rect ? is_rect(ret->attribute) : is_text(ret->attribute);
        if (fits && ia_str_is(rest, members[i].path)) {
            ret->member = &members[i];
            return IA_OK;
        }
    }
    return ia_err_set(err, IA_E_NOT_FOUND, "The attribute '%.*s' has no '%.*s'", (int)head.n,
                      head.p, (int)(rest.n > 200 ? 200 : rest.n), rest.p);
}

void ia_wda_operand_fini(struct ia_wda_operand *o)
{
    free(o->owned);
    for (size_t i = 0; i < o->n; i++) {
        free(o->items[i].owned);
    }
    free(o->items);
    *o = (struct ia_wda_operand){0};
}

void ia_wda_operand_get(const struct ia_wda_operand *o, const struct ia_wda_screen *s,
                        int32_t node, struct ia_wda_value *ret)
{
    if (o->is != IA_WDA_KEY) {
        ret->is = o->value.is;
        ret->truth = o->value.truth;
        ret->number = o->value.number;
        ret->text = ia_str(o->owned);
        return;
    }
    ia_wda_get(s, node, o->attribute, ret);
    if (o->member && ret->is != IA_WDA_NULL) {
        ret->number = o->member->read(ret);
        ret->is = IA_WDA_NUMBER;
    }
}
