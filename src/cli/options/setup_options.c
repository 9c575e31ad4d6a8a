/* setup_options.c: the options and help of what sets a project, a shell or a coding agent up, and of
 * batch. */
#include "cli/options/options.h"

const struct ia_opt ia_init_opts[] = {
    IA_OPTION(CHOICE, "ci", "github|gitlab|none",
              "the workflow to write (default: by what the folder has)"),
    IA_FLAG("force",
            "replace files that have other content; AGENTS.md and .gitlab-ci.yml stay"),
    IA_OPTS_END,
};

const char ia_init_details[] =
    "Into DIR (default: this folder): ios-agent.toml with settings as comments, "
    "goals/first.toml\n"
    "that passes as it is, a CI workflow, and a line in AGENTS.md for coding agents. What is "
    "there\n"
    "already stays, and it says so. Nothing is written through links.\n";

const struct ia_opt ia_skill_install_opts[] = {
    IA_FLAG("project", "into this project (or DIR) instead of the user's folder"),
    IA_FLAG("agents", "into .agents/skills, which other agents than Claude Code read"),
    IA_FLAG("force", "replace a file that has other content"),
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
    IA_OPTION(CHOICE, "tools", "short|full",
              "full also has what is seldom needed (default: short, 12 tools)"),
    IA_FLAG("read-only", "only tools that look: snapshot, wait_for, devices, run_status"),
    IA_FLAG("demo", "without a key, run may use the demo brain, which does not reason"),
    IA_FLAG("structured", "results also as JSON; several clients then drop the text"),
    IA_FLAG("no-daemon", "work in this process; its runs stop with it"),
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
    IA_FLAG("keep-going", "go on after a line that failed"),
    IA_FLAG("no-daemon", "work in this process; its lines share their refs", .local = true),
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
