/* trouble.c: the faults that change the phone: a popup, a crash, a layout that moves, a lost text. */
#include "driver/embedded/op/op.h"

static void save_power(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    if (!ia_prefs_on(&p->prefs, IA_PREF_LOW_POWER)) {
        ia_prefs_toggle(&p->prefs, IA_PREF_LOW_POWER);
    }
}

static const struct ia_alert interruptions[] = {
    {.title = "Low Battery",
     .message = "20% of battery remaining.",
     .buttons = {{"Close", IA_ALERT_CANCEL, NULL},
                 {"Save Power", IA_ALERT_DEFAULT, save_power}}},
    {.title = "Software Update",
     .message = "iOS 18.6 is available and will be installed tonight.",
     .buttons = {{"Later", IA_ALERT_CANCEL, NULL}, {"Details", IA_ALERT_DEFAULT, NULL}}},
    {.title = "Wi-Fi Password",
     .message = "Your neighbour wants to use the network \"Home\".",
     .buttons = {{"Dismiss", IA_ALERT_CANCEL, NULL}, {"Share", IA_ALERT_DEFAULT, NULL}}},
};

void ia_phone_fault(struct ia_phone *p, int fault)
{
    switch ((enum ia_op_fault)fault) {
    case IA_OP_FAULT_POPUP:
        /* By the sequence number, so that a replay shows the same one. */
        p->system_alert = &interruptions[(uint64_t)p->seq % IA_COUNTOF(interruptions)];
        break;
    case IA_OP_FAULT_CRASH:
        if (p->foreground != IA_NO_APP) {
            ia_phone_terminate(p, p->foreground);
        }
        break;
    case IA_OP_FAULT_SHIFT:
        p->shifted = !p->shifted;
        break;
    case IA_OP_FAULT_MUTE:
        p->mute = true;
        break;
    }
}
