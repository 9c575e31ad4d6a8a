/* type.c: what a key does to the field that has the keyboard: the return key goes on to the next field,
 * or agrees to the alert that the field is in. */
#include "driver/embedded/phone/phone.h"

void ia_edit_type(struct ia_phone *p, const char *utf8, size_t n)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || a->focus < 0) {
        return;
    }
    if (n == 1 && *utf8 == '\n' && a->alert && a->focus == (int)a->alert->field) {
        ia_alert_press(p, ia_alert_accept_index(a->alert));
    } else if (n == 1 && *utf8 == '\n') {
        ia_edit_focus(p, ia_phone_app(p)->fields[a->focus].next);
    } else {
        ia_edit_append(p, utf8, n);
    }
}
