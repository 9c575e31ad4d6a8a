/* slots.c: the runs that are out. */
#include "app/fleet/submit_impl.h"

#include <string.h>

struct ia_fleet_slot *ia_fleet_slot_of(struct ia_fleet_submit *s, const char *run_id)
{
    for (size_t i = 0; i < s->opts.slots; i++) {
        if (strcmp(s->slots[i].run_id, run_id) == 0) {
            return &s->slots[i];
        }
    }
    return NULL;
}

void ia_fleet_slot_free(struct ia_fleet_submit *s, struct ia_fleet_slot *slot)
{
    pthread_mutex_lock(&s->mutex);
    *slot = (struct ia_fleet_slot){.run_id = ""};
    s->out--;
    pthread_mutex_unlock(&s->mutex);
}
