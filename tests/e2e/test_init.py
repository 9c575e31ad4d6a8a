"""`init`: what it writes works as it stands, and what was there is not touched."""
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import unittest

from harness import PROGRAM, TIMEOUT_S, Case

MARK = "<!-- ios-agent -->"


class Init(Case):
    def setUp(self):
        super().setUp()
        self.project = pathlib.Path(self.folder, "project")
        self.project.mkdir()
        bin_folder = pathlib.Path(self.folder, "bin")
        bin_folder.mkdir()
        (bin_folder / "ios-agent").symlink_to(PROGRAM)
        self.path = f"{bin_folder}:{os.environ['PATH']}"

    def init(self, *args, code=0, cwd=None):
        done = self.run_agent("init", "--json", *args, cwd=cwd or self.project)
        self.assertEqual(done.code, code, done)
        return done.envelope()

    def states(self, *args, cwd=None):
        return {f["path"]: f["state"] for f in self.init(*args, cwd=cwd)["result"]["files"]}

    def tree(self, folder=None):
        root = folder or self.project
        return {str(p.relative_to(root)): (p.lstat().st_mode, p.read_bytes() if p.is_file() else None)
                for p in root.rglob("*")}

    def shell(self, line, cwd, **env):
        return subprocess.run(["bash", "-c", line], env=self.env(PATH=self.path, **env), cwd=cwd, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)

    def test_the_printed_commands_pass_in_an_empty_folder(self):
        done = self.run_agent("init", cwd=self.project)
        self.assertEqual(done.code, 0, done)
        lines = [line.strip() for line in done.out.split("next:\n")[1].splitlines()]
        self.assertEqual(lines, ["ios-agent doctor", "ios-agent sweep goals", "ios-agent report last"])
        for line in lines:
            ran = self.shell(line, self.project)
            self.assertEqual(ran.returncode, 0, ran)
        self.assertTrue((self.project / "ios-agent-report" / "index.html").is_file())
        self.assertIn("1 goal: 1 passed", self.shell("ios-agent sweep goals", self.project).stdout)

    def test_twice_changes_nothing(self):
        first = self.states("--ci", "gitlab")
        self.assertEqual(set(first.values()), {"created"})
        before = self.tree()
        self.assertEqual(set(self.states("--ci", "gitlab").values()), {"unchanged"})
        self.assertEqual(self.tree(), before)
        self.assertEqual(set(self.states("--ci", "gitlab", "--force").values()), {"unchanged"})
        self.assertEqual(self.tree(), before)

    def test_what_is_there_stays_and_is_named(self):
        (self.project / "goals").mkdir()
        (self.project / "goals" / "first.toml").write_text("mine")
        (self.project / "ios-agent.toml").write_text("mine")
        done = self.run_agent("init", cwd=self.project)
        self.assertIn("left      ios-agent.toml; --force replaces it", done.out)
        self.assertEqual((self.project / "goals" / "first.toml").read_text(), "mine")
        states = self.states("--force")
        self.assertEqual((states["ios-agent.toml"], states["goals/first.toml"]), ("replaced", "replaced"))
        self.assertIn("[[goal]]", (self.project / "goals" / "first.toml").read_text())

    def test_agents_md_keeps_its_text_its_mode_and_gets_one_line(self):
        agents = self.project / "AGENTS.md"
        agents.write_text("# Rules\nNo newline at the end")
        agents.chmod(0o640)
        self.assertEqual(self.states()["AGENTS.md"], "appended")
        text = agents.read_text()
        self.assertTrue(text.startswith("# Rules\nNo newline at the end\n\n" + MARK), text)
        self.assertEqual(text.count(MARK), 1)
        self.assertEqual(stat.S_IMODE(agents.stat().st_mode), 0o640)
        self.assertEqual(self.states("--force")["AGENTS.md"], "unchanged")
        self.assertEqual(agents.read_text(), text)

    def test_the_workflow_follows_what_the_folder_has(self):
        def kind(make):
            shutil.rmtree(self.project)
            self.project.mkdir()
            make()
            return self.init()["result"]["ci"]

        def git(url):
            (self.project / ".git").mkdir()
            (self.project / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')

        self.assertEqual(kind(lambda: None), "none")
        self.assertEqual(kind((self.project / ".github").mkdir), "github")
        self.assertEqual(kind(lambda: git("git@github.com:a/b.git")), "github")
        self.assertEqual(kind(lambda: git("https://gitlab.example.com/a/b.git")), "gitlab")
        self.assertEqual(kind(lambda: (self.project / ".gitlab-ci.yml").write_text("stages: []\n")), "gitlab")
        # Its own file stays; what to add to it is said.
        self.assertEqual((self.project / ".gitlab-ci.yml").read_text(), "stages: []\n")
        self.assertTrue((self.project / ".gitlab" / "ios-agent.yml").is_file())
        left = [f for f in self.init()["result"]["files"] if f["state"] == "left"]
        self.assertEqual([f["path"] for f in left], [".gitlab-ci.yml"])
        self.assertIn("include: [{local: .gitlab/ios-agent.yml}]", left[0]["todo"])

    def test_the_steps_of_the_workflows_run(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML here")
        self.init("--ci", "github")
        self.init("--ci", "gitlab")
        github = yaml.safe_load((self.project / ".github/workflows/ios-agent.yml").read_text())
        steps = {s["name"]: s["run"] for s in github["jobs"]["goals"]["steps"] if "run" in s}
        gitlab = yaml.safe_load((self.project / ".gitlab/ios-agent.yml").read_text())["ios-agent"]
        self.assertEqual(yaml.safe_load((self.project / ".gitlab-ci.yml").read_text()),
                         {"include": [{"local": ".gitlab/ios-agent.yml"}]})
        for script in (steps["Run the goals"], *gitlab["script"]):
            ran = self.shell(script, self.project, ANTHROPIC_API_KEY="")
            self.assertEqual(ran.returncode, 0, ran)
            self.assertTrue((self.project / "report" / "junit.xml").is_file())
        for script in (steps["Install ios-agent"], gitlab["before_script"][0]):
            self.assertEqual(self.shell(f"set -e; {script}", self.project).returncode, 2)
            checked = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_every_setting_of_the_sample_is_one_that_a_project_may_have(self):
        self.init()
        path = self.project / "ios-agent.toml"
        text = path.read_text()
        settings = re.findall(r"(?m)^#([a-z_]+) = ", text)
        self.assertGreater(len(settings), 7)
        path.write_text(re.sub(r"(?m)^#([a-z_]+ = )", r"\1", text))
        values = self.run_agent("config", "--json", cwd=self.project).envelope()["result"]["values"]
        mine = [v["key"].split(".")[1] for v in values if v["origin"] == "project file"]
        self.assertEqual(sorted(mine), sorted(settings))

    def test_nothing_is_written_through_a_link(self):
        outside = pathlib.Path(self.folder, "outside")
        outside.mkdir()
        (outside / "AGENTS.md").write_text("theirs")
        (self.project / "AGENTS.md").symlink_to(outside / "AGENTS.md")
        (self.project / "ios-agent.toml").symlink_to(outside / "new.toml")
        states = self.states("--force")
        self.assertEqual(states["AGENTS.md"], "left")
        self.assertEqual(states["ios-agent.toml"], "replaced")  # the link itself
        self.assertFalse((self.project / "ios-agent.toml").is_symlink())
        self.assertEqual({p.name: p.read_text() for p in outside.iterdir()}, {"AGENTS.md": "theirs"})
        shutil.rmtree(self.project / "goals")
        (self.project / "goals").symlink_to(outside)
        self.assertEqual(self.states()["goals/first.toml"], "left")
        envelope = self.init("--force", code=3)
        self.assertIn("goals/first.toml", envelope["error"]["message"])
        self.assertEqual({p.name for p in outside.iterdir()}, {"AGENTS.md"})

    def test_what_is_no_file_neither_blocks_nor_breaks_it(self):
        os.mkfifo(self.project / "AGENTS.md")
        (self.project / "ios-agent.toml").mkdir()
        states = self.states()
        self.assertEqual((states["AGENTS.md"], states["ios-agent.toml"]), ("left", "left"))

    def test_folders_with_hostile_names(self):
        for name in ("-rf", "a b", "it's", '"$(touch x)"', "`id`", "new\nline", "\x1b[31m", "ü", "*", "a;b"):
            with self.subTest(name):
                result = self.init("--", name, cwd=self.folder) if name[0] == "-" else self.init(name, cwd=self.folder)
                lines = result["result"]["next"]
                self.assertEqual(shlex.split(lines[0]), ["cd", "--", name])
                self.assertNotIn("\x1b", result["stdout"])
                ran = self.shell(lines[0] + " && test -f goals/first.toml && " + lines[2], self.folder)
                self.assertEqual(ran.returncode, 0, ran)
        self.assertFalse(pathlib.Path(self.folder, "x").exists())

    def test_a_folder_that_cannot_be_written_is_exit_3(self):
        file = pathlib.Path(self.folder, "file")
        file.write_text("x")
        for folder in (str(file), str(file) + "/below", "missing/below", ""):
            done = self.run_agent("init", folder, "--json")
            self.assertEqual(done.code, 3, done)
            self.assertTrue(done.envelope()["error"]["hint"])

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_a_read_only_folder_is_left_as_it_is(self):
        os.chmod(self.folder, 0o755)
        self.project.chmod(0o755)
        done = subprocess.run([PROGRAM, "init", str(self.project), "--json"], env=self.env(), cwd="/", user=65534,
                              group=65534, extra_groups=[], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("Permission denied", json.loads(done.stdout)["error"]["message"])
        self.assertEqual(self.tree(), {})


if __name__ == "__main__":
    unittest.main()
