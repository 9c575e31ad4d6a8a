"""The sample goals on one phone, reached in several ways: in the process, behind the bridge's wire, behind
WebDriverAgent's protocol, and there through a real Appium server (tests/peers/appium/four_ways.py).
The verdicts and the phone's own logs must be the same, as done() and alike() compare them."""
import concurrent.futures
import glob
import json
import os
import re
import signal
import unittest

from harness import SOURCE, TIMEOUT_S, Case

GOALS = os.path.join(SOURCE, "goals")
AT_ONCE = 4


def sample_goals():
    """One file for each goal, by its name. Nothing is reset, because a real phone cannot be: each goal gets a new phone."""
    files = {}
    for path in sorted(glob.glob(os.path.join(GOALS, "*.toml"))):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"(?m)^needs = .*\n", "", f.read().replace('"reset", ', ""))
        head, *goals = re.split(r"(?m)^(?=\[\[goal\]\])", text)
        for goal in goals:
            files[re.search(r'(?m)^name = "(.*)"', goal).group(1)] = head + goal
    return files


def done(log):
    """What was done to a phone, without the passing of time (tick): time passes while a page loads and is looked at,
    and some ways look more often than others."""
    return [{k: v for k, v in o.items() if k not in ("seq", "at_ms")} for o in log if o["op"] != "tick"]


def alike(one, other):
    """Whether they are equal; points are rounded, because a page source has frames in whole points."""
    points = ("x", "y", "to_x", "to_y")
    return one.keys() == other.keys() and all(
        abs(v - other[k]) <= 1 if k in points else v == other[k] for k, v in one.items())


class Ways(Case):
    """Ways to a phone: each runs the i-th goal on a new phone and returns how it ended and what was done."""

    def serve(self, name, *args):
        server = self.start_agent("embedded", "serve", "--name", name, "--fresh", "--no-token", "--json", *args)
        line = server.stdout.readline()
        if not line:
            raise AssertionError(server.communicate())
        return server, json.loads(line)["result"]["port"]

    def end(self, server):
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=TIMEOUT_S)
        self.assertEqual(server.returncode, 0, (out, err))

    def goal_file(self, i, text):
        path = os.path.join(self.folder, f"goal{i}.toml")
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def result(self, path, device, name, **env):
        sweep = self.run_agent("sweep", "--json", path, "--device", device, env=env)
        self.assertIn(sweep.code, (0, 1), sweep)
        (goal,) = sweep.envelope()["result"]["results"]
        return goal["state"], goal["reason"], done(self.log("--device", f"embedded:{name}"))

    def embedded(self, i, path):
        return self.result(path, f"embedded:in{i}", f"in{i}")

    def bridge(self, i, path):
        server, port = self.serve(f"wire{i}")
        found = self.result(path, f"bridge:127.0.0.1:{port}", f"wire{i}")
        self.end(server)
        return found

    def wda(self, i, path):
        server, port = self.serve(f"wda{i}", "--protocol", "wda")
        found = self.result(path, f"wda:127.0.0.1:{port}", f"wda{i}")
        self.end(server)
        return found

    def ends(self, way, goals):
        files = [self.goal_file(i, text) for i, text in enumerate(goals.values())]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(goals, pool.map(way, range(len(files)), files)))

    def compare(self, *ways):
        goals = sample_goals()
        self.assertEqual(len(goals), 35)
        direct = self.ends(self.embedded, goals)
        self.assertEqual(sum(state == "passed" for state, _, _ in direct.values()), 30)
        for way in ways:
            for name, found in self.ends(way, goals).items():
                with self.subTest(way=way.__name__, goal=name):
                    self.assertEqual(found[:2], direct[name][:2])
                    self.assertEqual(len(found[2]), len(direct[name][2]), found[2])
                    for one, other in zip(direct[name][2], found[2]):
                        self.assertTrue(alike(one, other), (one, other))


class FourWays(Ways):
    def test_the_sample_goals_end_alike_and_leave_the_same_log(self):
        self.compare(self.bridge, self.wda)


if __name__ == "__main__":
    unittest.main()
