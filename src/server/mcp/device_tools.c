/* device_tools.c: the devices that there are. */
#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "driver/simctl/simctl.h"
#include "server/mcp/mcp_impl.h"

#include <string.h>

enum { LIST_MS = 20000 };

/* Booted ones first: those can be driven at once. */
static void put_sims(const struct ia_sim_list *list, bool booted, struct ia_buf *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ia_sim *sim = &list->sims[i];
        bool usual = sim->available && strcmp(sim->platform, "iOS") == 0;
        if (usual && (sim->state == IA_SIM_BOOTED) == booted) {
            ia_buf_printf(out, "bridge:%s %s, %s, %s\n", sim->udid, sim->name, sim->runtime,
                          sim->state_text);
        }
    }
}

static void put_simulators(const struct ia_mcp_call *call, struct ia_buf *out)
{
    const struct ia_deadline deadline = {call->cancel, ia_mono_us(ia_clock_system()) +
                                                           LIST_MS * INT64_C(1000)};
    const struct ia_sim_list *list = NULL;
    struct ia_err err = {.code = IA_OK};
    struct ia_simctl *ctl = ia_simctl_new();
    if (ia_simctl_list(ctl, &deadline, &list, &err) == IA_OK) {
        put_sims(list, true, out);
        put_sims(list, false, out);
    } else {
        ia_buf_printf(out, "no simulators: %s\n", err.msg);
    }
    ia_simctl_free(ctl);
}

static void put_phone(void *ctx, const char *name)
{
    ia_buf_printf(ctx, "%s simulated by ios-agent, not Apple's simulator\n", name);
}

enum ia_rc ia_mcp_devices_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                               struct ia_err *err)
{
    const struct ia_mcp_server *server = call->ctx;
    (void)err;
    put_simulators(call, &ret->text);
    ia_device_list(ia_hub_paths(server->host.hub), put_phone, &ret->text);
    return IA_OK;
}
