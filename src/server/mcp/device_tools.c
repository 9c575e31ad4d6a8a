/* device_tools.c: the devices that there are. */
#include "app/device_json.h"
#include "base/clock.h"
#include "server/mcp/mcp_impl.h"

enum { LIST_MS = 20000 };

static void put_simulator(void *ctx, const struct ia_sim *sim)
{
    ia_buf_printf(ctx, "bridge:%s %s, %s, %s\n", sim->udid, sim->name, sim->runtime,
                  sim->state_text);
}

static void put_iphone(void *ctx, const struct ia_usbmux_phone *phone,
                       const struct ia_lockdown *says)
{
    ia_buf_printf(ctx, "iphone:%s %s, iOS %s, %s\n", phone->udid,
                  says->name[0] != '\0' ? says->name : "iPhone",
                  says->version[0] != '\0' ? says->version : "unknown",
                  ia_lockdown_trust_word(says->trust));
}

static void put_iphones_problem(void *ctx, const struct ia_err *why)
{
    ia_buf_printf(ctx, "no iPhones: %s\n", why->msg);
}

static void put_phone(void *ctx, const char *name)
{
    ia_buf_printf(ctx, "%s simulated by ios-agent, not Apple's simulator\n", name);
}

/* What keeps the simulators from being listed is a line: the simulated phones are there all the same. */
enum ia_rc ia_mcp_devices_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                               struct ia_err *err)
{
    const struct ia_mcp_server *server = call->ctx;
    const struct ia_deadline deadline = {call->cancel, ia_mono_us(ia_clock_system()) +
                                                           LIST_MS * INT64_C(1000)};
    struct ia_device_listing listing = {.simulator = put_simulator,
                                        .iphone = put_iphone,
                                        .iphones_problem = put_iphones_problem,
                                        .phone = put_phone,
                                        .ctx = &ret->text};
    struct ia_buf json = IA_BUF(IA_MCP_ANSWER_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &json);
    ia_jsonw_object(&w);
    if (ia_devices_json(&w, ia_hub_paths(server->host.hub), &deadline, &listing, err) !=
        IA_OK) {
        ia_buf_printf(&ret->text, "no simulators: %s\n", err->msg);
    }
    ia_jsonw_end_object(&w);
    ia_mcp_put_structured(call, ret, ia_buf_str(&json));
    ia_buf_fini(&json);
    return IA_OK;
}
