/* connect.c: options of a connection from the configuration. */
#include "app/fleet/connect.h"

#include <stdio.h>
#include <string.h>

enum ia_rc ia_fleet_connect(const struct ia_config *config, const char *url, const char *name,
                            struct ia_bus **ret, struct ia_err *err)
{
    char inbox[IA_FLEET_NAME_SIZE + 16];
    char shown[IA_FLEET_NAME_SIZE + 16];
    if (url && strchr(url, '@')) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "the address has a user or a password in it");
        ia_err_hint(err,
                    "others see a command line; set fleet.url in the configuration, or the "
                    "variable IOS_AGENT_FLEET_URL");
        return rc;
    }
    const struct ia_bus_opts opts = {
        .url = url && url[0] ? url : ia_config_str(config, IA_CFG_FLEET_URL),
        .name = shown,
        .inbox = name ? inbox : NULL,
        .creds = ia_config_str(config, IA_CFG_FLEET_CREDS),
        .nkey = ia_config_str(config, IA_CFG_FLEET_NKEY),
        .ca = ia_config_str(config, IA_CFG_FLEET_CA),
        .cert = ia_config_str(config, IA_CFG_FLEET_CERT),
        .key = ia_config_str(config, IA_CFG_FLEET_CERT_KEY),
    };
    if (!opts.url[0]) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no server of a fleet is known");
        ia_err_hint(err, "--fleet nats://HOST:PORT, or fleet.url in the configuration");
        return rc;
    }
    /* Orders arrive in inboxes: each worker has its own, and is permitted no other. */
    (void)snprintf(inbox, sizeof(inbox), "_INBOX_%s", name ? name : "");
    (void)snprintf(shown, sizeof(shown), "ios-agent%s%s", name ? " " : "", name ? name : "");
    return ia_bus_open(&opts, ret, err);
}
