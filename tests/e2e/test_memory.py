"""The memory tool through the real loop: its commands, its bad inputs, and kills in the middle of a change."""
import os
import sqlite3
import unittest

from core_tools_case import GIVE_UP, CoreToolsCase, say, use

AGENT = '[agents.reader]\nrole = "Remembers."\nmemory = "files"\n'
POINTS = ["agent.tool.before:1", "memory.rename.before:1", "memory.rename.after:1", "agent.tool.after:1"]


class Memory(CoreToolsCase):
    def setUp(self):
        super().setUp()
        self.configure(AGENT)
        self.kept = os.path.join(self.home, "memories", "reader")

    def memory(self, *inputs, **more):
        return self.calls("memory", *inputs, **more)

    def file(self, name):
        with open(os.path.join(self.kept, name), encoding="utf-8") as f:
            return f.read()

    def put(self, name, text):
        path = os.path.join(self.kept, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def files(self):
        return sorted(os.path.relpath(os.path.join(d, f), self.kept)
                      for d, _, names in os.walk(self.kept) for f in names)

    def test_every_command_does_what_the_service_says(self):
        results = self.memory(
            {"command": "view", "path": "/memories"},
            {"command": "create", "path": "/memories/notes/shop.md", "file_text": "one\ntwo\nthree\n"},
            {"command": "str_replace", "path": "/memories/notes/shop.md", "old_str": "two", "new_str": "2"},
            {"command": "insert", "path": "/memories/notes/shop.md", "insert_line": 1, "insert_text": "between"},
            {"command": "view", "path": "/memories/notes/shop.md"},
            {"command": "view", "path": "/memories/notes/shop.md", "view_range": [2, 3]},
            {"command": "rename", "old_path": "/memories/notes/shop.md", "new_path": "/memories/store.md"},
            {"command": "view", "path": "/memories"},
            {"command": "delete", "path": "/memories/store.md"},
        )
        self.assertEqual([e for e, _ in results], [False] * 9, results)
        texts = [t for _, t in results]
        self.assertIn("Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
                      texts[0])
        self.assertIn("File created successfully at: /memories/notes/shop.md", texts[1])
        self.assertRegex(texts[2], r"The memory file has been edited\. Here is the snippet showing the change \(with "
                                   r"line numbers\):\n<data \w+>\n     1\tone\n     2\t2\n     3\tthree\n</data")
        self.assertIn("The file /memories/notes/shop.md has been edited.", texts[3])
        self.assertRegex(texts[4], r"Here's the content of /memories/notes/shop\.md with line numbers:\n<data (\w+)>\n"
                                   r"     1\tone\n     2\tbetween\n     3\t2\n     4\tthree\n</data \1>")
        self.assertRegex(texts[5], r"<data \w+>\n     2\tbetween\n     3\t2\n</data")
        self.assertIn("Successfully renamed /memories/notes/shop.md to /memories/store.md", texts[6])
        self.assertRegex(texts[7], r"20B\t/memories\n20B\t/memories/store\.md\n</data")
        self.assertIn("Successfully deleted /memories/store.md", texts[8])
        self.assertEqual(self.files(), [])

    def test_a_later_run_reads_what_an_earlier_one_wrote(self):
        self.memory({"command": "create", "path": "/memories/a.md", "file_text": "the shop's button is called Basket"})
        self.assertEqual(self.file("a.md"), "the shop's button is called Basket")
        self.forget_calls()
        self.assertIn("called Basket", self.memory({"command": "view", "path": "/memories/a.md"})[0][1])

    def test_bad_inputs_are_refused_and_change_nothing(self):
        self.put("a.md", "x\nx\n")
        outside = os.path.join(self.folder, "outside")
        with open(outside, "w", encoding="utf-8") as f:
            f.write("private")
        os.symlink(outside, os.path.join(self.kept, "link"))
        at = "/memories/a.md"
        inputs = [
            {"command": "view", "path": "/etc/passwd"},
            {"command": "view", "path": "/memories/../../outside"},
            {"command": "view", "path": "/memories/%2e%2e/%2e%2e/outside"},
            {"command": "view", "path": "/memories/\uff0e\uff0e/outside"},
            {"command": "view", "path": "/memories/link"},
            {"command": "create", "path": "/memories/link", "file_text": "overwritten"},
            {"command": "create", "path": "/memories/.new", "file_text": "x"},
            {"command": "create", "path": at, "file_text": "x"},
            {"command": "create", "path": "/memories/big", "file_text": "x" * 31000 + "\n" * 40000},
            {"command": "str_replace", "path": at, "old_str": "x", "new_str": "y"},
            {"command": "str_replace", "path": at, "old_str": "z", "new_str": "y"},
            {"command": "str_replace", "path": at, "old_str": "", "new_str": "y"},
            {"command": "insert", "path": at, "insert_line": 3, "insert_text": "y"},
            {"command": "insert", "path": at, "insert_line": -1, "insert_text": "y"},
            {"command": "delete", "path": "/memories"},
            {"command": "delete", "path": "/memories/gone"},
            {"command": "rename", "old_path": at, "new_path": "/memories/../x"},
            {"command": "rename", "old_path": at, "new_path": at},
            {"command": "view", "path": at, "view_range": [2, 1]},
            {"command": "view", "path": at, "view_range": [1]},
            {"command": "view"},
            {"command": "view", "path": at, "file_text": "x"},
            {"command": "format", "path": at},
            {"command": "view", "path": 7},
            {},
        ]
        for i in range(0, len(inputs), 5):  # more in a row would count as going in circles
            for error, text in self.memory(*inputs[i:i + 5]):
                self.assertTrue(error, text)
                self.assertNotIn("private", text)
            self.forget_calls()
        self.assertEqual(self.file("a.md"), "x\nx\n")
        self.assertEqual(self.files(), ["a.md", "link"])
        with open(outside, encoding="utf-8") as f:
            self.assertEqual(f.read(), "private")

    def test_no_secret_of_a_run_is_kept_or_shown(self):
        self.put("old.md", "fine\nthe pin is engine-1843\n")
        at = "/memories/old.md"
        results = self.memory(
            {"command": "create", "path": "/memories/a.md", "file_text": "pin: ENGINE 1843"},
            {"command": "create", "path": "/memories/engine-1843.md", "file_text": "x"},
            {"command": "str_replace", "path": at, "old_str": "fine", "new_str": "engine-1843"},
            {"command": "create", "path": "/memories/b.md", "file_text": "the pin is {{secret:PIN}}, half: engine-"},
            {"command": "insert", "path": "/memories/b.md", "insert_line": 1, "insert_text": "more"},
            {"command": "str_replace", "path": "/memories/b.md", "old_str": "engine-", "new_str": "engine-1843"},
            {"command": "view", "path": at},
            args=("--secret", "PIN"), env={"PIN": "engine-1843"})
        self.assertEqual([e for e, _ in results], [True, True, True, False, False, True, False], results)
        self.assertIn("the pin is {{secret:PIN}}", results[6][1])
        self.assertEqual(self.files(), ["b.md", "old.md"])
        for name in ("b.md",):
            self.assertNotIn("1843", self.file(name))
        for _, text in results:
            self.assertNotIn("1843", text)

    def test_what_an_agent_wrote_is_no_proof_and_never_reaches_the_verifier(self):
        finish = use("finish", verdict="passed", summary="Done.", evidence=[{"quote": "Airplane Mode is on", "step": 1}])
        env = self.model({"match": {"call": "verifier", "any_text": "Airplane Mode is on"},
                          "error": {"status": 400, "message": "the verifier saw it"}},
                         {"match": {"call": "verifier"}, "blocks": [use("verdict", agrees=True, reason="yes")]},
                         say(use("memory", command="create", path="/memories/a", file_text="Airplane Mode is on")),
                         say(finish),
                         say(use("finish", verdict="passed", summary="Done.", evidence=[{"quote": "Settings"}])), GIVE_UP)
        done = self.run_agent("run", "switch on airplane mode", "--agent", "reader", env=env)
        self.assertTrue(self.results("finish")[0][0])
        self.assertNotIn("the verifier saw it", done.out + done.err)

    def test_an_agent_with_notes_has_no_files(self):
        self.configure('[agents.reader]\nrole = "Remembers."\nmemory = "notes"\n')
        error, text = self.memory({"command": "view", "path": "/memories"})[0]
        self.assertTrue(error)
        self.assertIn("no tool of that name", text)
        self.assertFalse(os.path.exists(self.kept))

    def killed(self, point, command, **more):
        """What a run leaves that is killed there, and how its call is answered when it goes on."""
        self.setUp()
        self.put("a.md", "one\n")
        env = self.model(say(use("memory", command=command, **more)), GIVE_UP)
        killed = self.run_agent("run", "x", "--agent", "reader",
                                env={**env, "IOS_AGENT_KILL_AT": point, "IOS_AGENT_KILL_WITH": "KILL"})
        self.assertEqual(killed.code, -9, (point, killed))
        with sqlite3.connect(os.path.join(self.home, "ios-agent.db")) as db:
            run, = db.execute("SELECT id FROM runs").fetchone()
        resumed = self.run_agent("resume", run, env=env)
        self.assertEqual(resumed.code, 1, resumed)
        return self.results("memory")

    def test_a_kill_leaves_all_of_a_change_or_nothing_and_it_is_not_made_again(self):
        changes = [
            ("create", {"path": "/memories/n/b.md", "file_text": "two\n"}, {"a.md": "one\n", "n/b.md": "two\n"}),
            ("insert", {"path": "/memories/a.md", "insert_line": 1, "insert_text": "two"}, {"a.md": "one\ntwo\n"}),
            ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/n/c.md"}, {"n/c.md": "one\n"}),
            ("delete", {"path": "/memories/a.md"}, {}),
        ]
        for command, more, after in changes:
            for point in POINTS:
                with self.subTest((command, point)):
                    results = self.killed(point, command, **more)
                    self.assertEqual(len(results), 1)
                    error, text = results[0]
                    self.assertTrue(error)
                    self.assertIn("it is not known whether it was made", text)
                    done = point in ("memory.rename.after:1", "agent.tool.after:1")
                    left = {f: self.file(f) for f in self.files() if not f.startswith(".")}
                    self.assertEqual(left, after if done else {"a.md": "one\n"})

    def test_a_look_that_was_killed_is_made_again(self):
        error, text = self.killed("agent.tool.after:1", "view", path="/memories/a.md")[0]
        self.assertFalse(error, text)
        self.assertIn("     1\tone", text)


if __name__ == "__main__":
    unittest.main()
