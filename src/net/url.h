/* url.h: what a URL says of the machine that it leads to. Pure; any thread. */
#ifndef IA_NET_URL_H
#define IA_NET_URL_H

#include "base/base.h"

/* Whether the host of an http or https URL is an address or a name of this machine: localhost, 127.x.x.x, [::1].
 * False for a URL with credentials in front of the host. */
bool ia_url_local(const char *url);

#endif
