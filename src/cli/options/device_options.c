/* device_options.c: the options and help for simulated phones, snapshots and the API's double. */
#include "cli/options/options.h"
#include "cli/sys/treefile.h"

const struct ia_opt ia_mock_api_opts[] = {
    {.name = "port",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "port on 127.0.0.1; 0: any free one (default)",
     .max = 65535},
    {.name = "brain", .kind = IA_OPT_CHOICE, .value = "demo", .help = "what answers (default)"},
    {.name = "script", .kind = IA_OPT_TEXT, .value = "FILE", .help = "answer from this script"},
    {.name = "fault", .kind = IA_OPT_TEXT, .value = "SPEC", .help = "inject faults"},
    {.name = "seed",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "seed of probabilities and chunk sizes",
     .max = INT64_MAX},
    {.name = "latency-ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "wait before every answer",
     .max = 600000},
    {.name = "pace-ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "wait between two events of a stream",
     .max = 600000},
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
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_PHONE},
    {.name = "at",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "as it was after its first N operations",
     .min = 1,
     .max = INT32_MAX},
    IA_OPTS_END,
};

#define MJPEG_OPT                                                                              \
    {                                                                                          \
        .name = "mjpeg-port", .kind = IA_OPT_INT, .value = "N",                                \
        .help = "wda: also stream pictures of the screen; 0: any free port", .max = 65535      \
    }

const struct ia_opt ia_embedded_serve_opts[] = {
    {.name = "port",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "port to listen on; 0 (default): any free port",
     .max = 65535},
    {.name = "name",
     .kind = IA_OPT_TEXT,
     .value = "PHONE",
     .help = "which phone: default, or \"qa?faults=popup@5\""},
    {.name = "fresh", .kind = IA_OPT_FLAG, .help = "restore its factory state first"},
    {.name = "token-file",
     .kind = IA_OPT_TEXT,
     .value = "FILE",
     .help = "write the token here instead of next to the phone"},
    {.name = "no-token", .kind = IA_OPT_FLAG, .help = "require no token"},
    {.name = "protocol",
     .kind = IA_OPT_CHOICE,
     .value = "bridge|wda",
     .help = "the bridge's (default), or WebDriverAgent's"},
    MJPEG_OPT,
    IA_OPTS_END,
};

const struct ia_opt ia_serve_opts[] = {
    {.name = "protocol",
     .kind = IA_OPT_CHOICE,
     .value = "wda",
     .help = "WebDriverAgent's (default)"},
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_DEVICE},
    {.name = "port",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "port to listen on; 0 (default): any free port",
     .max = 65535},
    MJPEG_OPT,
    {.name = "token-file",
     .kind = IA_OPT_TEXT,
     .value = "FILE",
     .help = "require a token, and write it here"},
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
    {.name = "device", .kind = IA_OPT_TEXT, .value = "NAME", .help = IA_HELP_PHONE},
    {.name = "set",
     .kind = IA_OPT_TEXT,
     .value = "LIST",
     .help = "plant exactly these bugs: NAME,NAME or all or none"},
    IA_OPTS_END,
};

const struct ia_opt ia_diff_opts[] = {
    {.name = "source",
     .kind = IA_OPT_CHOICE,
     .value = IA_SOURCE_NAMES,
     .help = "the tool that printed the files"},
    {.name = "max-bytes",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "size limit (default 12000)",
     .min = 100,
     .max = 1000000},
    IA_OPTS_END,
};

const char ia_diff_details[] = "A and B are trees that another tool printed; - is standard "
                               "input. In the output, + marks what\n"
                               "appeared, - what is gone, ~ what reads differently.\n";
