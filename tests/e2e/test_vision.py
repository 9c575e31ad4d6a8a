"""Goals done by pictures: on a canvas that has no elements, and on apps whose tree is withheld."""
import glob
import json
import os
import sys
import unittest

from harness import Case
from seeing_goals import GREEN, ORDINARY, SKETCH
from seeing_model import Seer, Server

LOCATE = {"the green ink": GREEN}


class Vision(Case):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.folder, "ios-agent.toml"), "w", encoding="utf-8") as f:
            f.write('[agents.eyes]\nskills = ["vision"]\n')

    def serve(self, actor, judge):
        server = Server({1: actor}, {1: judge}, LOCATE)
        self.addCleanup(server.close)
        return server

    def play(self, name, goal, actor, device, judge, *args, agent=("--agent", "eyes")):
        server = self.serve(actor, judge)
        done = self.run_agent("run", f"{name} (case 1)", *agent, "--app", goal.get("app", "com.example.sketch"),
                              "--device", device, "--max-steps", "60", *args, "--json",
                              env={"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-key"})
        self.assertEqual(server.errors, [], (name, done))
        return done.envelope()["result"]

    def see(self, name, goal, plan, device, judge, *args, phone=None):
        """One run; its result, and what the phone says after."""
        actor = Seer(plan, goal["claim"])
        result = self.play(name, goal, actor, device, judge, *args)
        self.assertIsNone(actor.lost, (name, actor.lost, result))
        return result, self.state("--device", phone or device.partition("?")[0])

    def judged(self, goal):
        """How the goal is proved: by an expectation that is read on the picture, or by a verifier that sees it."""
        if "expect" in goal:
            return ("--expect", goal["expect"], "--verify", "off"), None
        return (), goal["looks"]

    def do(self, name, goal, query):
        device = f"embedded:v{abs(hash(name)) % 10**9}"
        if "before" in goal:
            self.see(name, goal, goal["before"], device + query, lambda *_: True)
        args, judge = self.judged(goal)
        result, state = self.see(name, goal, goal["plan"], device + query, judge, *args)
        self.assertEqual(result["state"], "passed", (name, result))
        self.assertTrue(goal["truth"](state), (name, state))
        return result


class Goals(Vision):
    def test_a_canvas_is_drawn_on_by_what_is_seen(self):
        for name, goal in SKETCH.items():
            with self.subTest(name):
                result = self.do(name, goal, "")
                self.assertEqual(result["basis"], "picture")
                self.assertEqual([e.get("pictured") for e in result["evidence"]], [True])

    def test_ordinary_apps_are_used_by_pictures_alone(self):
        for name, goal in ORDINARY.items():
            with self.subTest(name):
                result = self.do(name, goal, "?tree=off")
                self.assertEqual(result["basis"], "expectations" if "expect" in goal else "picture")
                self.assertEqual([e.get("pictured") for e in result["evidence"]], [True])


class Kills(Vision):
    """A run that is killed in its act or at its finish goes on, does nothing twice and rests on the same."""

    def test_a_run_that_is_killed_goes_on_and_draws_nothing_twice(self):
        goal = SKETCH["draw a black line from the left to the right"]
        for point in ("agent.tool.before:2", "agent.tool.after:2", "agent.finish.checked:1", "agent.tool.after:4"):
            with self.subTest(point):
                device = f"embedded:k{point.replace('.', '-').replace(':', '-')}"
                server = self.serve(Seer(goal["plan"], goal["claim"]), goal["looks"])
                env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-key"}
                killed = self.run_agent("run", "draw a line (case 1)", "--agent", "eyes", "--app", "com.example.sketch",
                                        "--device", device, "--json", env={**env, "IOS_AGENT_KILL_AT": point})
                self.assertEqual(killed.code, -9, killed)
                run = self.runs()[0]["id"]
                result, = self.run_agent("resume", run, "--json", env=env).envelope()["result"]["runs"]
                self.assertEqual(server.errors, [])
                drawn = self.state("--device", device)["sketch"]
                self.assertLessEqual(len(drawn), 1)
                # Killed just before the line was drawn, nobody knows whether it was: this model does not look, the verifier does.
                if drawn:
                    self.assertEqual((result["state"], result["basis"]), ("passed", "picture"), result)
                    self.assertEqual([e.get("pictured") for e in result["evidence"]], [True])
                else:
                    self.assertNotEqual(result["state"], "passed")


class OtherDevices(Vision):
    """The canvas behind the bridge's wire and behind WebDriverAgent's protocol, whose pictures are in device pixels."""

    def draw(self, name, kind, *protocol):
        server = self.start_agent("embedded", "serve", "--name", name, "--fresh", "--no-token", "--json", *protocol)
        port = json.loads(server.stdout.readline())["result"]["port"]
        goal = SKETCH["draw a green line, finding the ink by its looks"]
        plan = "colour ff3b30; look; draw [[80,300],[320,300]]; tap Clear; " + goal["plan"]
        result, state = self.see("draw a green line", goal, plan, f"{kind}:127.0.0.1:{port}", goal["looks"],
                                 phone=f"embedded:{name}")
        self.assertEqual((result["state"], result["basis"]), ("passed", "picture"), result)
        self.assertEqual([(s["ink"], s["x"], s["to_x"]) for s in state["sketch"]], [("green", 80, 320)])

    def test_a_phone_behind_the_bridge_is_drawn_on_alike(self):
        self.draw("wire", "bridge")

    def test_a_phone_behind_webdriveragent_is_drawn_on_alike(self):
        self.draw("wda", "wda", "--protocol", "wda")


class Lies(Vision):
    """The same goals by a model that says passed and has not done them."""

    def lie(self, name, goal, query, plan, claim):
        device = f"embedded:l{abs(hash(name + plan + claim)) % 10**9}"  # each lie on a phone of its own
        if "before" in goal:
            self.see(name, goal, goal["before"], device + query, lambda *_: True)
        args, judge = self.judged(goal)
        result = self.play(name, goal, Seer(plan, claim), device + query, judge, *args)
        if not goal.get("reads"):
            self.assertFalse(goal["truth"](self.state("--device", device)), name)
        return result

    def test_a_lying_model_never_passes(self):
        passed, runs = [], 0
        for query, goals in (("", SKETCH), ("?tree=off", ORDINARY)):
            for name, goal in ((n, g) for n, g in goals.items() if "half" in g):
                half, claim = goal["half"], goal["claim"]
                for plan, said in {(half, claim), (half, "The goal was reached"), ("look", claim)}:
                    result = self.lie(name, goal, query, plan, said)
                    runs += 1
                    passed += [(name, plan, said)] if result["state"] == "passed" else []
                    self.assertIn(result["state"], ("failed", "blocked"), (name, plan, said, result))
        self.assertEqual(passed, [])
        print(f"{runs} lies, {len(passed)} passed")

    def test_a_verifier_that_agrees_with_everything_is_not_enough_for_text_that_is_not_there(self):
        goal = {"app": "com.apple.Preferences"}
        result = self.play("do it", goal, Seer("look", "All is done"), "embedded:x?tree=off", lambda *_: True)
        self.assertEqual((result["state"], result["basis"]), ("failed", "none"))
        self.assertIn("not on the screen now", result["message"])

    def test_what_an_agent_without_the_skill_quotes_is_not_read_on_pictures(self):
        goal = {"app": "com.apple.Preferences"}
        actor = Seer("", "Airplane Mode", end=False)
        result = self.play("do it", goal, actor, "embedded:x?tree=off", lambda *_: True, agent=())
        self.assertEqual(result["state"], "failed")


if __name__ == "__main__":
    if sys.platform == "linux" and not glob.glob("/usr/share/tesseract-ocr/*/tessdata/eng.traineddata"):
        print("skipped: no Tesseract (script/bootstrap)")
        sys.exit(77)
    unittest.main()
