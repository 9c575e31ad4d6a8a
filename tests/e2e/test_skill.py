"""The skill for coding agents: what is installed, what it says, and that its examples run."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from harness import PROGRAM, SOURCE, TIMEOUT_S, Case

TOPICS = ("core", "goals", "simulators", "triage", "embedded", "prompt")


def blocks(text, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text)


class Skill(Case):
    def show(self, *topic):
        done = self.run_agent("skill", "show", *topic)
        self.assertEqual(done.code, 0, done)
        return done.out

    def bash(self, script):
        bin_folder = pathlib.Path(self.folder, "bin")
        bin_folder.mkdir(exist_ok=True)
        if not (bin_folder / "ios-agent").exists():
            (bin_folder / "ios-agent").symlink_to(PROGRAM)
        return subprocess.run(["bash", "-eu", "-c", script], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=self.env(PATH=f"{bin_folder}:{os.environ['PATH']}"), timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)

    def test_every_topic_begins_with_the_version_of_the_program(self):
        version = self.run_agent("version").out.split()[1]
        for topic in TOPICS:
            text = self.show(topic)
            self.assertTrue(text.startswith(f"# ios-agent {version}: "), text[:80])
            self.assertNotRegex(text, r"\{\{(version|verbs|codes)\}\}")
        self.assertEqual(self.show(), self.show("core"))
        self.assertLessEqual(len(self.show().encode()), 10 << 10)
        self.check_error(["skill", "show", "cooking"], 2, "NOT_FOUND", "core, embedded, goals")
        self.check_error(["skill", "show", "../core"], 2, "NOT_FOUND")

    def test_the_stub_is_a_skill_by_the_specification(self):
        text = pathlib.Path(SOURCE, "plugin/skills/ios-agent/SKILL.md").read_text()
        self.assertLessEqual(len(text.encode()), 3584)
        front, body = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S).groups()
        fields = dict(line.split(": ", 1) for line in front.splitlines())
        self.assertEqual(set(fields), {"name", "description", "license", "compatibility", "allowed-tools"})
        self.assertEqual((fields["name"], fields["allowed-tools"]), ("ios-agent", "Bash(ios-agent:*)"))
        self.assertLessEqual(len(fields["description"]), 1024)
        self.assertLessEqual(len(fields["compatibility"]), 500)
        self.assertNotRegex(fields["description"], r"[<>]|: ")  # YAML without quotes
        for topic in set(re.findall(r"skill show ([a-z]+)", body)):
            self.show(topic)

    def test_the_examples_of_core_run_as_they_stand(self):
        example = next(b for b in blocks(self.show(), "sh") if "reset-sim" in b)
        done = self.bash(example)
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue(done.stdout.endswith("proven\n"), done)
        triage = next(b for b in blocks(self.show("triage"), "sh") if "reset-sim" in b)
        self.assertEqual(self.bash(triage).returncode, 0)
        for line in blocks(self.show("embedded"), "sh")[0].splitlines():
            if "run" not in line.split("#")[0].split():  # the demo brain has no say about every goal
                self.assertEqual(self.bash(line).returncode, 0, line)

    def test_the_goal_file_of_the_text_is_one(self):
        path = pathlib.Path(self.folder, "goals.toml")
        path.write_text(blocks(self.show("goals"), "toml")[0])
        done = self.run_agent("sweep", str(path), "--report-dir", "report")
        self.assertEqual(done.code, 0, done)

    def test_it_is_installed_where_agents_look(self):
        stub = pathlib.Path(SOURCE, "plugin/skills/ios-agent/SKILL.md").read_bytes()
        project = pathlib.Path(self.folder, "project")
        project.mkdir()
        rows = [
            ((), self.folder, ".claude/skills/ios-agent/SKILL.md"),
            (("--agents",), self.folder, ".agents/skills/ios-agent/SKILL.md"),
            (("--project",), project, ".claude/skills/ios-agent/SKILL.md"),
            (("--agents", str(project)), project, ".agents/skills/ios-agent/SKILL.md"),
        ]
        for args, folder, path in rows:
            for state in ("created", "unchanged"):
                done = self.run_agent("skill", "install", *args, "--json", cwd=project)
                self.assertEqual(done.code, 0, done)
                self.assertEqual(done.envelope()["result"]["state"], state)
            self.assertEqual(pathlib.Path(folder, path).read_bytes(), stub)

    def test_another_file_is_replaced_only_when_asked(self):
        path = pathlib.Path(self.folder, ".claude/skills/ios-agent/SKILL.md")
        path.parent.mkdir(parents=True)
        path.write_text("mine")
        self.check_error(["skill", "install"], 2, "EXISTS", "--force")
        self.assertEqual(path.read_text(), "mine")
        self.assertEqual(self.run_agent("skill", "install", "--force").code, 0)
        self.assertNotEqual(path.read_text(), "mine")

    def test_a_project_with_links_is_not_followed(self):
        outside = pathlib.Path(self.folder, "outside")
        project = pathlib.Path(self.folder, "project")
        outside.mkdir()
        project.mkdir()
        (project / ".claude").symlink_to(outside)
        self.assertNotEqual(self.run_agent("skill", "install", str(project), "--force").code, 0)
        self.assertEqual(list(outside.iterdir()), [])

    def test_the_manifests_belong_to_this_version(self):
        def read(name):
            return json.loads(pathlib.Path(SOURCE, name).read_text())

        version = re.search(r"project\(ios-agent VERSION (\S+)", pathlib.Path(SOURCE, "CMakeLists.txt").read_text()).group(1)
        plugin, market = read("plugin/.claude-plugin/plugin.json"), read(".claude-plugin/marketplace.json")
        self.assertEqual((plugin["name"], plugin["version"]), ("ios-agent", version))
        self.assertEqual([(p["name"], p["source"]) for p in market["plugins"]], [("ios-agent", "./plugin")])
        server = read("plugin/.mcp.json")["mcpServers"]["ios-agent"]
        self.assertEqual(server, {"command": "ios-agent", "args": ["mcp"]})


if __name__ == "__main__":
    unittest.main()
