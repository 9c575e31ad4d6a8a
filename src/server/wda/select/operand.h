/* operand.h: one side of a comparison: a constant, a list of them, or an attribute of the element. */
#ifndef IA_SERVER_WDA_SELECT_OPERAND_H
#define IA_SERVER_WDA_SELECT_OPERAND_H

#include "server/wda/select/node.h"

struct ia_wda_operand {
    enum { IA_WDA_CONSTANT, IA_WDA_KEY, IA_WDA_LIST } is;
    struct ia_wda_value value; /* IA_WDA_CONSTANT: a text of it is `owned` */
    char *owned;
    enum ia_wda_attribute attribute;    /* IA_WDA_KEY */
    const struct ia_wda_member *member; /* IA_WDA_KEY: what of it; NULL: itself */
    struct ia_wda_operand *items;       /* IA_WDA_LIST */
    size_t n;
};

/* "wdRect.width": IA_E_NOT_FOUND when there is no such attribute, or it has no such member. */
enum ia_rc ia_wda_operand_key(struct ia_str path, struct ia_wda_operand *ret,
                              struct ia_err *err);
void ia_wda_operand_fini(struct ia_wda_operand *o);
/* Reads a constant or an attribute; a text is borrowed from the operand, the tree or ret. */
void ia_wda_operand_get(const struct ia_wda_operand *o, const struct ia_wda_screen *s,
                        int32_t node, struct ia_wda_value *ret);

#endif
