/* setup_options.c: the options and help of what sets a project, a shell or a coding agent up, and of
 * batch. */
#include "cli/options/options.h"

const struct ia_opt ia_init_opts[] = {
    {.name = "ci",
     .kind = IA_OPT_CHOICE,
     .value = "github|gitlab|none",
     .help = "the workflow to write (default: by what the folder has)"},
    {.name = "force",
     .kind = IA_OPT_FLAG,
     .help = "replace files that have other content; AGENTS.md and .gitlab-ci.yml stay"},
    IA_OPTS_END,
};

const char ia_init_details[] =
    "Into DIR (default: this folder): ios-agent.toml with settings as comments, "
    "goals/first.toml\n"
    "that passes as it is, a CI workflow, and a line in AGENTS.md for coding agents. What is "
    "there\n"
    "already stays, and it says so. Nothing is written through links.\n";

const struct ia_opt ia_skill_install_opts[] = {
    {.name = "project",
     .kind = IA_OPT_FLAG,
     .help = "into this project (or DIR) instead of the user's folder"},
    {.name = "agents",
     .kind = IA_OPT_FLAG,
     .help = "into .agents/skills, which other agents than Claude Code read"},
    {.name = "force", .kind = IA_OPT_FLAG, .help = "replace a file that has other content"},
    IA_OPTS_END,
};

const char ia_skill_install_details[] =
    "Writes ios-agent/SKILL.md into ~/.claude/skills, or into .claude/skills of a project. It "
    "has the\n"
    "agent call ios-agent skill show, so that what it reads belongs to the installed "
    "program.\n";

const char ia_skill_show_details[] = "TOPIC is core (default), goals, simulators, triage, "
                                     "embedded or prompt: a template for any "
                                     "model.\n";

const char ia_completions_details[] =
    "script/install and cmake --install put them in place. By hand:\n"
    "  bash  ~/.local/share/bash-completion/completions/ios-agent, or source it\n"
    "  zsh   _ios-agent in a folder of $fpath, before compinit\n"
    "  fish  ~/.config/fish/completions/ios-agent.fish\n";

const struct ia_opt ia_mcp_opts[] = {
    {.name = "tools",
     .kind = IA_OPT_CHOICE,
     .value = "short|full",
     .help = "full also has what is seldom needed (default: short, 12 tools)"},
    {.name = "read-only",
     .kind = IA_OPT_FLAG,
     .help = "only tools that look: snapshot, wait_for, devices, run_status"},
    {.name = "demo",
     .kind = IA_OPT_FLAG,
     .help = "without a key, run may use the demo brain, which does not reason"},
    {.name = "structured",
     .kind = IA_OPT_FLAG,
     .help = "results also as JSON; several clients then drop the text"},
    {.name = "no-daemon",
     .kind = IA_OPT_FLAG,
     .help = "work in this process; its runs stop with it"},
    IA_OPTS_END,
};

const char ia_mcp_details[] =
    "Serves the Model Context Protocol, revisions 2024-11-05 to 2026-07-28, on standard input\n"
    "and output. To set up:\n"
    "\n"
    "  Claude Code:\n"
    "    claude mcp add ios-agent -- ios-agent mcp\n"
    "  Codex, in ~/.codex/config.toml:\n"
    "    [mcp_servers.ios-agent]\n"
    "    command = \"ios-agent\"\n"
    "    args = [\"mcp\"]\n"
    "  Cursor, Claude Desktop:\n"
    "    {\"mcpServers\":{\"ios-agent\":{\"command\":\"ios-agent\",\"args\":[\"mcp\"]}}}\n"
    "  VS Code:\n"
    "    {\"servers\":{\"ios-agent\":{\"command\":\"ios-agent\",\"args\":[\"mcp\"]}}}\n"
    "\n"
    "Programs with windows need the whole path of ios-agent, as their PATH is short.\n"
    "A run that takes longer than 45 s goes on; run_status tells how it ended.\n";

const struct ia_opt ia_batch_opts[] = {
    {.name = "keep-going", .kind = IA_OPT_FLAG, .help = "go on after a line that failed"},
    {.name = "no-daemon",
     .kind = IA_OPT_FLAG,
     .help = "work in this process; its lines share their refs",
     .local = true},
    IA_OPTS_END,
};

const char ia_batch_details[] =
    "A line is a device command (tap, type, is, …), as words or as a JSON array of words; "
    "lines "
    "come as\n"
    "arguments, or from standard input as they are written. With --json each has one envelope, "
    "a "
    "line each.\n"
    "Stops at the first line that fails. The exit status is the highest of the lines'.\n";
