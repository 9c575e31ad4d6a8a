"""Skills in folders, through the real loop: trust, programs, servers, and a kill at any moment."""
import hashlib
import json
import os
import sqlite3
import stat
import sys
import unittest

from harness import Case, Double

CONFIG = '[agents.clerk]\nskills = ["orders"]\n'
GIVE_UP = {"blocks": [{"tool_use": "finish", "input": {
    "verdict": "failed", "summary": "that was all", "evidence": []}}]}
SEND = {"turns": [
    {"match": {"tool": "orders__send"}, **GIVE_UP},
    {"blocks": [{"tool_use": "orders__send", "input": {"text": "$1"}}]},
]}
MANIFEST = """name = "orders"
purpose = "keeps the shop's orders"
[tools.send]
program = ["./send"]
effect = EFFECT
"""
# Notes each time that it runs: the oracle.
SEND_PROGRAM = """#!/bin/sh
cat >/dev/null
echo sent >>"$HOME/sent"
echo '{"text":"order 4711 was sent"}'
"""
SERVER = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif m.get("method") == "tools/list":
        r = {"tools": [{"name": "send", "description": "Sends.", "inputSchema": {"type": "object"}},
                       {"name": "drop", "description": "Drops.", "inputSchema": {"type": "object"}}]}
    elif m.get("method") == "tools/call":
        r = {"content": [{"type": "text", "text": "order 4711 was sent"}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"""


class Skills(Case):
    def write(self, path, text, mode=0o644):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def start(self, script, effect="true"):
        skill = ".ios-agent/skills/orders/"
        self.write("ios-agent.toml", CONFIG)
        self.write(skill + "skill.toml", MANIFEST.replace("EFFECT", effect))
        self.write(skill + "instructions.md", "Call send.\n")
        self.write(skill + "send.json", json.dumps({
            "name": "send", "description": "Sends an order.", "input_schema": {
                "type": "object", "properties": {"text": {"type": "string"}},
                "additionalProperties": False}}))
        self.write(skill + "send", SEND_PROGRAM, 0o755)
        self.write("script.json", json.dumps(script))
        double = Double(self, ["--script", os.path.join(self.folder, "script.json")])
        self.addCleanup(double.kill)
        self.environ = {"ANTHROPIC_BASE_URL": double.url, "ANTHROPIC_API_KEY": "sk-test"}

    def agent(self, *args, **env):
        return self.run_agent(*args, env={**self.environ, **env})

    def goal(self, **env):
        return self.agent("run", "send the order", "--agent", "clerk", **env)

    def sent(self):
        path = os.path.join(self.folder, "sent")
        return len(open(path, encoding="utf-8").readlines()) if os.path.exists(path) else 0

    def db(self, sql):
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
            return db.execute(sql).fetchall()

    def test_a_cloned_skill_runs_once_it_is_trusted_and_not_after_a_change(self):
        self.start(SEND)
        r = self.goal()
        self.assertEqual(r.code, 3, (r.out, r.err))
        self.assertIn("ios-agent skills trust orders", r.err)
        self.assertEqual(self.sent(), 0)
        self.assertEqual(self.agent("skills", "trust", "orders").code, 0)
        self.assertIn("trusted", self.agent("skills", "list").out)
        r = self.goal()
        self.assertEqual((r.code, self.sent()), (1, 1), (r.out, r.err))
        self.assertIn("orders__send", r.out + r.err)
        self.write(".ios-agent/skills/orders/send", SEND_PROGRAM + "# x\n", 0o755)
        self.assertEqual((self.goal().code, self.sent()), (3, 1))
        self.assertEqual((self.goal(IOS_AGENT_RUN_ALLOW_SKILLS="true").code, self.sent()), (1, 2))

    def test_a_name_cannot_stand_for_another_file(self):
        """A folder's name that looks like the lines of the hash, traded for the file of those lines."""
        self.start(SEND)
        evil = SEND_PROGRAM + "# evil\n"
        hidden = f"plugin.py - {hashlib.sha256(evil.encode()).hexdigest()}\n"
        skill = ".ios-agent/skills/orders/"
        self.write(skill + hidden + "/pz", "x")
        refused = self.agent("skills", "trust", "orders")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("control character", refused.err)

    def test_no_part_of_a_granted_secret_comes_back(self):
        self.start(SEND)
        value = "tok-ABCDEFGHIJKLMNOP"
        answers = ['"x" * 32754 + t', '"a\\x00b" + t + "c"', 't + t', '"\\u200b" + t']
        for i, text in enumerate(answers):
            self.write(".ios-agent/skills/orders/send",
                       f"#!/usr/bin/env python3\nimport json, os\nt = os.environ['SHOP_TOKEN']\nprint(json.dumps({{'text': {text}}}))\n",
                       0o755)
            self.write(".ios-agent/skills/orders/skill.toml",
                       MANIFEST.replace("EFFECT", "false").replace("[tools.send]", 'secrets = ["SHOP_TOKEN"]\n[tools.send]'))
            trusted = self.agent("skills", "trust", "orders", "--grant", "SHOP_TOKEN")
            self.assertEqual(trusted.code, 0, trusted)
            self.goal(SHOP_TOKEN=value)
            said = self.agent("show", "last", "--transcript").out
            self.assertIn("{{secret:" if i == 0 else "{{secret:SHOP_TOKEN}}", said, text)
            self.assertNotIn("ABCDE", said, text)

    def test_a_project_cannot_trust_itself(self):
        self.start(SEND)
        self.write("ios-agent.toml", CONFIG + "[run]\nallow_skills = true\n")
        r = self.goal()
        self.assertNotEqual(r.code, 0)
        self.assertIn("allow_skills", r.err)
        self.assertEqual(self.sent(), 0)

    def test_a_kill_at_any_point_repeats_no_effect(self):
        for effect, point, times in (("true", "agent.tool.before:1", 0), ("true", "agent.tool.after:1", 1),
                                     ("false", "agent.tool.before:1", 1), ("false", "agent.tool.after:1", 2)):
            with self.subTest((effect, point)):
                self.setUp()
                self.start(SEND, effect)
                self.assertEqual(self.agent("skills", "trust", "orders").code, 0)
                killed = self.goal(IOS_AGENT_KILL_AT=point, IOS_AGENT_KILL_WITH="KILL")
                self.assertEqual(killed.code, -9, (killed.out, killed.err))
                r = self.agent("resume", "last")
                self.assertEqual((r.code, self.sent()), (1, times), (r.out, r.err))
                outcome, = self.db("SELECT outcome FROM tool_calls WHERE name = 'orders__send'")[0]
                self.assertEqual(outcome, "unknown" if effect == "true" else "", point)

    def test_a_server_is_a_skill_too(self):
        self.start(SEND)
        self.write(".ios-agent/skills/orders/skill.toml",
                   'name = "orders"\npurpose = "keeps orders"\n[mcp]\n'
                   f'program = ["{sys.executable}", "server.py"]\ntools = ["send"]\n')
        self.write(".ios-agent/skills/orders/server.py", SERVER)
        self.assertEqual(self.agent("skills", "trust", "orders").code, 0)
        r = self.goal()
        self.assertEqual(r.code, 1, (r.out, r.err))
        results = self.db("SELECT name, is_error, result FROM tool_calls WHERE name LIKE 'orders%'")
        self.assertEqual([(n, e) for n, e, _ in results], [("orders__send", 0)])
        self.assertIn("order 4711 was sent", results[0][2])

    def test_a_server_that_does_not_start_leaves_the_run_without_its_tools(self):
        self.start({"turns": [
            {"match": {"tool": "use_skill"}, **GIVE_UP},
            {"blocks": [{"tool_use": "use_skill", "input": {"skill": "orders"}}]}]})
        self.write(".ios-agent/skills/orders/skill.toml",
                   'name = "orders"\npurpose = "keeps orders"\n[mcp]\nprogram = ["./no-such-program"]\n')
        self.assertEqual(self.agent("skills", "trust", "orders").code, 0)
        r = self.goal()
        self.assertEqual(r.code, 1, (r.out, r.err))
        result, = self.db("SELECT result FROM tool_calls WHERE name = 'use_skill'")[0]
        self.assertIn("no-such-program", result)

    def test_a_new_skill_works_as_it_is_written(self):
        r = self.run_agent("skills", "new", "words")
        self.assertEqual(r.code, 0, r.err)
        folder = os.path.join(self.folder, ".ios-agent/skills/words")
        self.assertTrue(os.stat(os.path.join(folder, "count_words.py")).st_mode & stat.S_IXUSR)
        self.assertIn("3 words", self.run_agent("skills", "check", "words").out)
        self.assertIn("trusted", self.run_agent("skills", "show", "words").out)
        self.assertEqual(self.run_agent("skills", "untrust", "words").code, 0)
        self.assertIn("not tried", self.run_agent("skills", "check", "words").out)
        self.assertEqual(self.run_agent("skills", "new", "words").code, 2)
        self.write(".ios-agent/skills/words/skill.toml", 'name = "words"\npurpose = \n')
        self.assertRegex(self.run_agent("skills", "check", "words").err, r"skill\.toml:2:\d+: ")
        self.assertIn("broken", self.run_agent("skills", "list").out)
        self.assertIn("did you mean words?", self.run_agent("skills", "show", "word").err)


if __name__ == "__main__":
    unittest.main()
