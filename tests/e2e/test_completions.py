"""Completion scripts and man pages say what the help says, and shells and formatters take them."""
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import time
import unittest

from harness import PROGRAM, TIMEOUT_S, Case

# Reads a line for each question (words joined by \x1f, the last one is completed; every character of
# COMP_WORDBREAKS that stands in a word makes words of its own, as bash does it) and answers with one.
BASH_DRIVER = r"""
source "$1"
while IFS= read -r question; do
    IFS=$'\x1f' read -r -a COMP_WORDS <<<"$question"$'\x1f'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _ios_agent
    out=''
    for reply in "${COMPREPLY[@]}"; do out=$out$'\x1f'$reply; done
    printf '%s\n' "${out#?}"
done
"""


def split_breaks(words):
    """As readline splits them at ":" and "="."""
    out = []
    for word in words:
        out += [w for w in re.split("([:=])", word) if w] or [""]
    return out


class Completions(Case):
    def env(self, **more):
        return super().env(IOS_AGENT_TEST_COMPLETE_MS="20000", **more)

    def setUp(self):
        super().setUp()
        bin_folder = pathlib.Path(self.folder, "bin")
        bin_folder.mkdir()
        (bin_folder / "ios-agent").symlink_to(PROGRAM)
        self.path = f"{bin_folder}:{os.environ['PATH']}"
        self.scripts = {}
        for shell in ("bash", "zsh", "fish"):
            done = self.run_agent("completions", shell)
            self.assertEqual(done.code, 0, done)
            self.scripts[shell] = pathlib.Path(self.folder, f"completions.{shell}")
            self.scripts[shell].write_text(done.out)

    def commands(self):
        """{name: (options, {option: words}, operands)} as the help says it."""
        table = {}
        overview = self.run_agent("help").out.split("Commands:\n")[1].split("\n\n")[0]
        for line in overview.splitlines():
            name = re.match(r"  ([a-z-]+( [a-z-]+)?)\s", line[:19] + " ").group(1)
            text = self.run_agent(*name.split(), "--help").out
            found = re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)(?: (\S+))?", text.split("Options:")[1])
            choices = {o: v.split("|") for o, v in found if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", v or "")}
            table[name] = ({o for o, _ in found}, choices, text.splitlines()[0].partition("[OPTION]...")[2].split())
        return table

    def ask_bash(self, *questions):
        lines = "".join("\x1f".join(split_breaks(q)) + "\n" for q in questions)
        done = subprocess.run(["bash", "--norc", "-c", BASH_DRIVER, "driver", str(self.scripts["bash"])],
                              input=lines, env=self.env(PATH=self.path), cwd=self.folder,
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        self.assertEqual(done.stderr, "")
        answers = [line.split("\x1f") if line else [] for line in done.stdout.split("\n")[:-1]]
        self.assertEqual(len(answers), len(questions))
        return answers

    def test_every_shell_that_is_here_takes_its_script(self):
        for shell, script in self.scripts.items():
            with self.subTest(shell):
                if not shutil.which(shell):
                    self.skipTest(f"no {shell} here")
                done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bash_completes_the_words_of_commands(self):
        names = list(self.commands())
        firsts = sorted({n.split()[0] for n in names})
        all_words, some, none = self.ask_bash(["ios-agent", ""], ["ios-agent", "sch"], ["ios-agent", "xyz"])
        self.assertEqual(sorted(all_words), firsts)
        self.assertEqual((some, none), (["schedule"], []))
        for first in firsts:
            seconds = sorted(n.split()[1] for n in names if n.startswith(first + " "))
            if seconds and first not in names:
                self.assertEqual(sorted(self.ask_bash(["ios-agent", first, ""])[0]), seconds)

    def test_bash_completes_options_and_choices_of_every_command(self):
        questions, wanted = [], []
        for name, (options, choices, _) in self.commands().items():
            questions.append(["ios-agent", *name.split(), "--"])
            wanted.append(sorted("--" + o for o in options))
            for option, words in choices.items():
                questions += [["ios-agent", *name.split(), "--" + option, ""],
                              ["ios-agent", *name.split(), f"--{option}="],
                              ["ios-agent", *name.split(), "--json", f"--{option}={words[0][0]}"]]
                wanted += [sorted(words), sorted(words), sorted(w for w in words if w[0] == words[0][0])]
        self.assertGreater(len(wanted), 60)
        for question, got, want in zip(questions, self.ask_bash(*questions), wanted):
            self.assertEqual(sorted(got), want, question)

    def test_bash_completes_what_there_is(self):
        run = self.run_agent("run", "--demo", "open Settings", "--device", "embedded:q a", "--json")
        self.assertEqual(run.code, 2, run)  # no such name
        self.assertEqual(self.run_agent("run", "--demo", "open Settings", "--device", "embedded:qa").code, 0)
        self.assertEqual(self.run_agent("schedule", "add", "--name", "nightly", "--every", "1h", "open Settings").code, 0)
        pathlib.Path(self.folder, "ios-agent.toml").write_text('[agents.careful]\nmodel = "m"\n')
        pathlib.Path(self.folder, "my goals").mkdir()
        self.assertEqual(self.run_agent("snapshot", "--session", "shop-test", "--device", "embedded:qa").code, 0)
        self.assertEqual(self.run_agent("secret", "set", "SHOP_PIN", stdin="1843").code, 0)
        short = self.runs()[0]["id"][-8:]
        rows = [
            (["run", "--device", "embedded:q"], ["qa"]),  # bash replaces what stands behind the colon
            (["run", "--device=embedded:q"], ["qa"]),
            (["run", "--agent", "c"], ["careful"]),
            (["tap", "--session", "sh"], ["shop-test"]),
            (["press", "vol"], ["volume_up", "volume_down"]),
            (["screenshot", "my"], ["my goals"]),
            (["skill", "show", "tri"], ["triage"]),
            (["show", "la"], ["last"]),
            (["show", short[:4]], [short]),
            (["show", "last", ""], []),
            (["schedule", "show", ""], ["nightly"]),
            (["schedule", "history", "--limit", "3", "n"], ["nightly"]),
            (["schedule", "history", "--limit", ""], []),
            (["secret", "remove", "SHOP"], ["SHOP_PIN"]),
            (["run", "--secret", ""], ["SHOP_PIN"]),
            (["config", "set", "run.mo"], ["run.model"]),
            (["config", "unset", "queue."], ["queue.max_runs"]),
            (["sweep", "my"], ["my goals"]),
            (["sweep", "x.toml", "my"], ["my goals"]),
            (["completions", ""], ["bash", "zsh", "fish"]),
            (["run", "--", "--de"], []),
        ]
        for (question, want), got in zip(rows, self.ask_bash(*[["ios-agent", *q] for q, _ in rows])):
            self.assertEqual(sorted(got), sorted(want), question)

    def test_a_hostile_name_is_a_word_and_no_command(self):
        mark = pathlib.Path(self.folder, "x")
        name = f"a$(touch {mark})`touch {mark}`;'\"b c"
        stub = pathlib.Path(self.folder, "stub")
        stub.write_text(f"#!/bin/sh\ncat <<'END'\n{name}\nEND\n")
        stub.chmod(0o755)
        quoted = self.ask_bash([str(stub), "run", "--agent", "a"])[0]
        self.assertEqual(shlex.split(quoted[0]), [name])
        self.assertEqual(self.ask_bash([str(stub), "run", "--agent", f"$(touch {mark})"])[0], [])
        self.assertEqual(self.ask_bash([str(stub), "run", f"$(touch {mark})", ""])[0], [])
        self.assertFalse(mark.exists())

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_every_command(self):
        commands = self.commands()
        lines = ["ios-agent " + n + " --" for n in commands] + ["ios-agent ", "ios-agent run --verify ",
                                                              "ios-agent run --device emb", "ios-agent sweep my",
                                                              "ios-agent completions z", "ios-agent schedule "]
        pathlib.Path(self.folder, "my goals").mkdir()
        body = f"source {self.scripts['fish']}\n" + "".join(
            f"complete -C '{line}'\necho '\x1f'\n" for line in lines)
        done = subprocess.run(["fish", "--no-config", "-c", body], env=self.env(PATH=self.path), cwd=self.folder,
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        answers = [{x.split("\t")[0] for x in part.strip("\n").split("\n")} for part in done.stdout.split("\x1f")]
        for (name, (options, _, _)), got in zip(commands.items(), answers):
            self.assertEqual(got, {"--" + o for o in options}, name)
        self.assertEqual(answers[len(commands)], {n.split()[0] for n in commands})
        self.assertEqual(answers[len(commands) + 1], {"auto", "always", "off"})
        self.assertEqual(answers[len(commands) + 2], {"embedded:default"})
        self.assertEqual(answers[len(commands) + 3], {"my goals/"})
        self.assertEqual(answers[len(commands) + 4], {"zsh"})
        self.assertEqual(answers[len(commands) + 5], {n.split()[1] for n in commands if n.startswith("schedule ")})

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_is_given_every_option_of_every_command(self):
        commands = self.commands()
        stub = ("compdef() { : }\n_describe() { print -rl -- ${(P)${@[-1]}} }\n"
                "_arguments() { print -rl -- \"$@\" }\n" f"source {self.scripts['zsh']}\n")
        for name in commands:
            words = " ".join(["ios-agent", *name.split(), "''"])
            stub += f"words=({words}); CURRENT={len(name.split()) + 2}; _ios_agent; print '\x1f'\n"
        done = subprocess.run(["zsh", "-f", "-c", stub], env=self.env(PATH=self.path), cwd=self.folder,
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        self.assertEqual(done.stderr, "")
        for (name, (options, choices, _)), got in zip(commands.items(), done.stdout.split("\x1f")):
            self.assertEqual(set(re.findall(r"(?m)^\*?--([\w-]+)", got)), options, name)
            for option, words in choices.items():
                self.assertIn(f":({' '.join(words)})", re.search(rf"(?m)^\*?--{option}=.*$", got).group(0))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_completes_at_its_prompt(self):
        folder = pathlib.Path(self.folder, "functions")
        folder.mkdir()
        shutil.copy(self.scripts["zsh"], folder / "_ios-agent")
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.env(PATH=self.path, TERM="dumb"))
        self.addCleanup(os.close, fd)
        os.write(fd, f"PS1='READY> '; fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u\n".encode())
        self.read_for(fd, "READY> ", 2)
        for typed, shown in (("ios-agent sched\t", "schedule "), ("sh\t", "show "), ("\x15ios-agent run --verify al\t", "always "),
                             ("--dev\t", "--device="), ("embedded:d\t", "embedded:default ")):
            os.write(fd, typed.encode())
            self.read_for(fd, shown, 1)
        os.write(fd, b"\x15exit\n")
        os.waitpid(pid, 0)

    def read_for(self, fd, text, times):
        """Reads until the text came that often."""
        seen = ""
        while seen.count(text) < times:
            ready, _, _ = select.select([fd], [], [], 20)
            self.assertTrue(ready, f"{text!r} never came: {seen!r}")
            seen += re.sub("[\x07\x08]", "", os.read(fd, 4096).decode("utf-8", "replace"))

    def test_an_unknown_shell_is_refused(self):
        self.check_error(["completions", "tcsh"], 2, "USAGE", "tcsh", "bash|zsh|fish")


class Values(Case):
    def test_nothing_is_made_and_nothing_is_said(self):
        for kind in ("devices", "runs", "sweeps", "ids", "agents", "schedules", "commands", "sessions", "topics", "nonsense"):
            done = self.run_agent("__complete", kind)
            self.assertEqual((done.code, done.err), (0, ""), kind)
        self.assertFalse(os.path.exists(self.home))
        pathlib.Path(self.folder, "ios-agent.toml").write_text("not toml [")
        done = self.run_agent("__complete", "agents")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))

    def test_a_store_that_is_locked_or_broken_is_no_reason_to_wait(self):
        os.makedirs(self.home)
        db = pathlib.Path(self.home, "ios-agent.db")
        db.write_bytes(b"no database" * 1000)
        done = self.run_agent("__complete", "runs")
        self.assertEqual((done.code, done.err), (0, ""))
        db.unlink()
        self.assertEqual(self.run_agent("run", "--demo", "open Settings").code, 0)
        import sqlite3
        holder = sqlite3.connect(db, isolation_level=None)
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        start = time.monotonic()
        done = self.run_agent("__complete", "runs")
        took = time.monotonic() - start
        holder.close()
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertLess(took, 2)  # far below the 5 s that a command waits for a locked database

    def test_a_name_that_would_be_two_lines_is_left_out(self):
        pathlib.Path(self.folder, "ios-agent.toml").write_text('[agents."a\\nb"]\nmodel = "m"\n[agents.ok]\nmodel = "m"\n')
        done = self.run_agent("__complete", "agents")
        self.assertIn(done.out, ("ok\n", ""))  # "" where the configuration refuses such a name

    def test_no_help_names_a_hidden_command(self):
        self.assertNotIn("__", self.run_agent("help").out)
        self.assertNotIn("__complete", self.run_agent("__complet").err)


class ManPages(Case):
    def setUp(self):
        super().setUp()
        self.pages = pathlib.Path(self.folder, "man1")
        done = self.run_agent("__man", str(self.pages))
        self.assertEqual(done.code, 0, done)

    def names(self):
        overview = self.run_agent("help").out.split("Commands:\n")[1].split("\n\n")[0]
        return [line[2:19].strip() for line in overview.splitlines()]

    def test_every_command_has_a_page_with_its_options_and_examples(self):
        wanted = {"ios-agent-" + n.replace(" ", "-") + ".1" for n in self.names()}
        self.assertEqual({p.name for p in self.pages.iterdir()}, wanted)
        for name in self.names():
            text = (self.pages / ("ios-agent-" + name.replace(" ", "-") + ".1")).read_text()
            plain = re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
            help_text = self.run_agent(*name.split(), "--help").out
            for option in re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", help_text):
                self.assertIn(option, plain)
            for example in help_text.split("Examples:\n")[1].splitlines():
                self.assertIn(example.strip(), plain)

    def check_pages(self, *command):
        for page in sorted(self.pages.iterdir()):
            done = subprocess.run([*command, str(page)], capture_output=True, text=True, check=False,
                                  env=self.env(LC_ALL="C.UTF-8"))
            said = [l for l in (done.stdout + done.stderr).splitlines() if "missing date" not in l]
            self.assertEqual(said, [], page.name)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc here")
    def test_mandoc_has_no_complaint(self):
        self.check_pages("mandoc", "-T", "lint", "-W", "warning")

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_groff_has_no_complaint(self):
        self.check_pages("groff", "-man", "-ww", "-z", "-Tutf8")


if __name__ == "__main__":
    unittest.main()
