"""MCP servers that nobody here wrote, as skills of an agent, through the real loop with a scripted model.

usage: agent.py NODE, the folder with the packages.

The goal needs a file that only the filesystem server can read and another that only it can write, and the phone
in between; everything's tools are called over HTTP. What is in the files is the oracle.
"""
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import unittest

NODE = sys.argv.pop(1)
SOURCE = os.environ["IOS_AGENT_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))

from harness import Case  # noqa: E402

PACKAGES = os.path.join(NODE, "node_modules", "@modelcontextprotocol")
FILES = os.path.join(PACKAGES, "server-filesystem", "dist", "index.js")
EVERYTHING = os.path.join(PACKAGES, "server-everything", "dist", "index.js")
ON = 'value switch "Airplane Mode" = "on"'


def use(tool, **tool_input):
    return {"tool_use": tool, "input": tool_input}


def finish(verdict, *evidence):
    return use("finish", verdict=verdict, summary="That was all.", evidence=list(evidence))


class Servers(Case):
    def setUp(self):
        super().setUp()
        # As in the paths that the server compares.
        self.files = os.path.realpath(os.path.join(self.folder, "files"))
        os.mkdir(self.files)

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def skill(self, name, mcp):
        self.write(f".ios-agent/skills/{name}/skill.toml",
                   f'name = "{name}"\npurpose = "is a server of somebody else"\n[mcp]\n{mcp}\n')
        self.write(f".ios-agent/skills/{name}/instructions.md", "Paths are absolute.\n")
        trusted = self.run_agent("skills", "trust", name)
        self.assertEqual(trusted.code, 0, trusted)

    def agent(self, *skills):
        self.write("ios-agent.toml", f"[agents.clerk]\nskills = {json.dumps(skills)}\n")

    def goal(self, goal, script, *args):
        return self.run_agent("run", goal, "--agent", "clerk", *args, env=self.claude(script))

    def calls(self):
        """(name, code, result) of the calls of tools of skills, in their order."""
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
            return db.execute("SELECT name, is_error, result FROM tool_calls WHERE name LIKE '%\\_\\_%' ESCAPE '\\' "
                              "ORDER BY run_id, step").fetchall()

    def files_skill(self):
        self.agent("files")
        self.skill("files", f'program = ["node", {json.dumps(FILES)}, {json.dumps(self.files)}]\n'
                            'reading = ["read_text_file", "list_directory"]')

    def path(self, name):
        return os.path.join(self.files, name)

    def test_a_goal_that_needs_a_file_the_phone_and_another_file_passes(self):
        self.files_skill()
        self.write(self.path("todo.txt"), "Airplane Mode\n")
        script = self.script(
            {"match": {"call": "verifier"}, "blocks": [use("verdict", agrees=True, reason="The switch is on.")]},
            {"blocks": [use("use_skill", skill="files")]},
            {"blocks": [use("files__read_text_file", path=self.path("todo.txt"))]},
            {"match": {"tool": "files__read_text_file", "result_contains": "Airplane Mode"},
             "blocks": [use("launch_app", bundle_id="com.apple.Preferences")]},
            {"match": {"tool": "launch_app", "latest": "switch:off Airplane Mode"},
             "blocks": [use("tap", ref='$ref(switch "Airplane Mode")')]},
            {"match": {"tool": "tap"}, "blocks": [use("files__write_file", path=self.path("done.txt"), content="on")]},
            {"match": {"tool": "files__write_file", "result_contains": "Successfully wrote"},
             "blocks": [finish("passed", {"quote": "Airplane Mode"})]})
        done = self.goal("turn on what todo.txt names and note it in done.txt", script, "--expect", ON)
        self.assertEqual(done.code, 0, done)
        with open(self.path("done.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "on")
        self.assertEqual([(n, e) for n, e, _ in self.calls()], [("files__read_text_file", 0), ("files__write_file", 0)])
        self.assertRegex(self.calls()[0][2], r"<data \w{8}>\\nAirplane Mode\\n</data \w{8}>")

    def test_a_path_outside_of_the_folder_is_a_failed_call_and_no_more(self):
        self.files_skill()
        self.write("secret.txt", "outside")
        script = self.script(
            {"blocks": [use("files__read_text_file", path=self.path("../secret.txt"))]},
            {"blocks": [use("files__write_file", path=self.path("../new.txt"), content="x")]},
            {"blocks": [use("files__no_such_tool")]},
            {"blocks": [use("files__list_directory", path=self.files)]},
            {"blocks": [finish("failed")]})
        done = self.goal("read secret.txt", script)
        self.assertEqual(done.code, 1, done)
        calls = self.calls()
        self.assertEqual([e for _, e, _ in calls], [1, 1, 1, 0], calls)
        self.assertIn("outside allowed directories", calls[0][2])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "new.txt")))

    def serve_everything(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            port = s.getsockname()[1]
        server = subprocess.Popen(["node", EVERYTHING, "streamableHttp"], env={**os.environ, "PORT": str(port)},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return f"http://127.0.0.1:{port}/mcp"
            except OSError:
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(server.poll())

    def test_a_server_behind_http_is_a_skill_too(self):
        self.agent("everything")
        self.skill("everything", f'url = "{self.serve_everything()}"\ntools = ["get-sum", "get-tiny-image"]')
        script = self.script(
            {"blocks": [use("everything__get-sum", a=2, b=40), use("everything__get-tiny-image")]},
            {"match": {"tool": "everything__get-sum", "result_contains": "The sum of 2 and 40 is 42."},
             "blocks": [use("everything__echo", message="not one of the skill's")]},
            {"match": {"is_error": True}, "blocks": [finish("failed")]})
        done = self.goal("add 2 and 40", script)
        self.assertEqual(done.code, 1, done)
        calls = self.calls()
        self.assertEqual([(n, e) for n, e, _ in calls],
                         [("everything__get-sum", 0), ("everything__get-tiny-image", 0), ("everything__echo", 1)], calls)
        self.assertRegex(calls[1][2], r"\[image image/png, \d+ bytes, not shown\]")


if __name__ == "__main__":
    unittest.main()
