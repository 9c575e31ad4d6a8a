/* device_options.c: the options and help for simulated phones, snapshots and the API's double. */
#include "cli/options/options.h"
#include "cli/sys/treefile.h"

const struct ia_opt ia_mock_api_opts[] = {
    IA_OPTION(INT, "port", "N", "port on 127.0.0.1; 0: any free one (default)", .max = 65535),
    IA_OPTION(CHOICE, "brain", "demo", "what answers (default)"),
    IA_OPTION(TEXT, "script", "FILE", "answer from this script"),
    IA_OPTION(TEXT, "fault", "SPEC", "inject faults"),
    IA_OPTION(INT, "seed", "N", "seed of probabilities and chunk sizes", .max = INT64_MAX),
    IA_OPTION(INT, "latency-ms", "N", "wait before every answer", .max = 600000),
    IA_OPTION(INT, "pace-ms", "N", "wait between two events of a stream", .max = 600000),
    IA_OPTS_END,
};

const char ia_bugs_details[] =
    "A device name can also ask for bugs and faults:\n"
    "  --device \"embedded:qa?bugs=shop-total&faults=popup@5,slow-tree:300&seed=7\"\n"
    "Bugs stay on that phone until others are set, or until --fresh; faults last for one "
    "command.\n"
    "A goal's setup can plant bugs until the next reset: open embedded://?bugs=LIST.\n";

const char ia_mock_api_details[] =
    "A strict test double of the Messages API on loopback. It prints its URL on stdout, serves "
    "until\n"
    "a signal arrives, then prints what happened on stderr. SPEC is a comma-separated list of\n"
    "NAME[@N[-M]][:ARG], for example 429@1:retry-after=1,529:0.3,cut@4:5. Names: 400 401 402\n"
    "403 404 409 413 429 500 503 504 529 spend-limit html502 html413 error-event cut reset\n"
    "stall garbage.\n";

const struct ia_opt ia_embedded_opts[] = {
    IA_OPTION(TEXT, "device", "NAME", IA_HELP_PHONE),
    IA_OPTION(INT, "at", "N", "as it was after its first N operations", .min = 1,
              .max = INT32_MAX),
    IA_OPTS_END,
};

#define MJPEG_OPT                                                                              \
    IA_OPTION(INT, "mjpeg-port", "N",                                                          \
              "wda: also stream pictures of the screen; 0: any free port", .max = 65535)

const struct ia_opt ia_embedded_serve_opts[] = {
    IA_OPTION(INT, "port", "N", "port to listen on; 0 (default): any free port", .max = 65535),
    IA_OPTION(TEXT, "name", "PHONE", "which phone: default, or \"qa?faults=popup@5\""),
    IA_FLAG("fresh", "restore its factory state first"),
    IA_OPTION(TEXT, "token-file", "FILE", "write the token here instead of next to the phone"),
    IA_FLAG("no-token", "require no token"),
    IA_OPTION(CHOICE, "protocol", "bridge|wda", "the bridge's (default), or WebDriverAgent's"),
    MJPEG_OPT,
    IA_OPTS_END,
};

const struct ia_opt ia_serve_opts[] = {
    IA_OPTION(CHOICE, "protocol", "wda", "WebDriverAgent's (default)"),
    IA_OPTION(TEXT, "device", "NAME", IA_HELP_DEVICE),
    IA_OPTION(INT, "port", "N", "port to listen on; 0 (default): any free port", .max = 65535),
    MJPEG_OPT,
    IA_OPTION(TEXT, "token-file", "FILE", "require a token, and write it here"),
    IA_OPTS_END,
};

const char ia_serve_details[] =
    "Serves a device on 127.0.0.1 as WebDriverAgent does, to Appium (appium:webDriverAgentUrl) "
    "and every\n"
    "other client of it, until a signal arrives. When ready, it prints one line with the URL. "
    "Few clients\n"
    "can send a token, so that none is needed unless --token-file is given; then requests "
    "carry\n"
    "\"Authorization: Bearer TOKEN\" (Appium: appium:extraRequestHeaders). Requests from web "
    "pages are\n"
    "refused. Until it ends, no run and no other command can drive the device.\n";

const char ia_embedded_serve_details[] = "Serves on 127.0.0.1 what the bridge to a real device "
                                         "serves, to any client of its protocol, until\n"
                                         "a signal arrives. When ready, it prints one line: "
                                         "the address, and the file with the token that\n"
                                         "clients need (readable by this user only, removed at "
                                         "the end). The classic requests know no\n"
                                         "token, so they need --no-token.\n"
                                         "--protocol wda serves it as WebDriverAgent does "
                                         "instead (ios-agent help serve).\n";

const struct ia_opt ia_bugs_opts[] = {
    IA_OPTION(TEXT, "device", "NAME", IA_HELP_PHONE),
    IA_OPTION(TEXT, "set", "LIST", "plant exactly these bugs: NAME,NAME or all or none"),
    IA_OPTS_END,
};

const struct ia_opt ia_diff_opts[] = {
    IA_OPTION(CHOICE, "source", IA_SOURCE_NAMES, "the tool that printed the files"),
    IA_OPTION(INT, "max-bytes", "N", "size limit (default 12000)", .min = 100, .max = 1000000),
    IA_OPTS_END,
};

const char ia_diff_details[] = "A and B are trees that another tool printed; - is standard "
                               "input. In the output, + marks what\n"
                               "appeared, - what is gone, ~ what reads differently.\n";
