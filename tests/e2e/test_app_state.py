"""Expectations on the state that an app reports, on the phone itself and behind the bridge."""
import json
import os
import signal
import unittest

from harness import TIMEOUT_S, Case
from test_lies import finish, say, use, verifier

SHOP = "com.example.shop"
LAMPS = "shop://add/Desk-Lamp/2"
PHONE = ("--device", "embedded:told")


class AppState(Case):
    def serve(self, *args, kind="bridge:127.0.0.1:"):
        self.server = self.start_agent("embedded", "serve", "--name", "told", "--json", *args)
        served = json.loads(self.server.stdout.readline())["result"]
        return ("--device", f"{kind}{served['port']}")

    def end_server(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate(timeout=TIMEOUT_S)

    def check(self, device):
        self.assertEqual(self.run_agent("open-url", LAMPS, *device).code, 0)
        for words in (['state "cart.total" = "85.70"'], ["state", '"cart.total" = "85.70"'],
                      ['state "cart.items" = "2"'], ['state "user" = "nobody"']):
            self.assertEqual(self.run_agent("is", *words, *device).out, "yes\n")
        waited = self.run_agent("wait-for", 'state "cart.items" = "2"', *device)
        self.assertEqual(waited.code, 0, waited)
        self.check_error(["is", 'state "cart.total" = "79.80"', *device], 1, "NOT_MET", 'it is "85.70"')
        self.check_error(["is", 'state "cart.sum" = "79.80"', *device], 1, "NOT_MET",
                         "the app does not tell it; it tells user, cart.items, cart.total, cart.coupon, orders")
        self.check_error(["is", 'state cart.sum = "1"', *device], 2, "USAGE", "a text in double quotes is missing")
        for form in ((), ("--rows",), ("--json",), ("--json", "--rows"), ("--status", "--next"), ("--annotate", "a.png")):
            shown = self.run_agent("snapshot", *form, *device)
            self.assertEqual(shown.code, 0, shown)
            for word in ("ios-agent.state", "cart.total", "85.70"):
                self.assertNotIn(word, shown.out, form)
        self.assertNotIn("ios-agent.state", self.run_agent("audit", "--json", *device).out)
        self.assertEqual(self.run_agent("press", "home", *device).code, 0)
        self.check_error(["is", 'state "cart.total" = "85.70"', *device], 1, "NOT_MET",
                         "the app in front tells no state", "docs/app-sdk.md")

    def test_a_screen_is_asked_for_state_that_it_does_not_show(self):
        self.check(PHONE)

    def test_it_passes_through_the_bridge(self):
        self.check(self.serve("--no-token"))
        self.end_server()

    def test_it_passes_through_webdriveragent(self):
        self.check(self.serve("--protocol", "wda", kind="wda:http://127.0.0.1:"))
        self.end_server()

    def outcome(self, *turns, expect, device=PHONE):
        double = self.script(*turns, verifier(True))
        result = self.run_agent("run", "fill the cart", "--json", "--app", SHOP, *device,
                                *[o for e in expect for o in ("--expect", e)], env=self.claude(double))
        self.assertEqual(double.stop()["rejected"], {}, result)
        return result.code, result.envelope()

    def test_a_run_passes_on_what_the_app_tells(self):
        fill = say(use("open_url", url=LAMPS))
        done = finish("Log In")
        code, envelope = self.outcome(fill, done, expect=['state "cart.total" = "85.70"',
                                                          'after relaunch: state "cart.items" = "2"'])
        self.assertEqual(code, 0, envelope)
        code, envelope = self.outcome(fill, {**done, "repeat": True}, expect=['state "cart.total" = "0.00"'])
        self.assertEqual(code, 1, envelope)
        self.assertIn('it is "159.60"', str(envelope["result"]))

    def test_a_planted_bug_shows_in_the_state(self):
        device = ("--device", "embedded:told?bugs=shop-total")
        self.assertEqual(self.run_agent("open-url", LAMPS, *device).code, 0)
        self.check_error(["is", 'state "cart.total" = "85.70"', *device], 1, "NOT_MET", 'it is "45.80"')

    def test_a_goal_file_takes_it(self):
        path = os.path.join(self.folder, "told.toml")
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "told"\ngoal = "open Shop"\napp = "com.example.shop"\n'
                    'expect = [\'state "cart.items" = "0"\']\n')
        swept = self.run_agent("sweep", path, "--demo", *PHONE)
        self.assertEqual(swept.code, 0, swept)
        with open(path, "w", encoding="utf-8") as f:
            f.write('[[goal]]\nname = "told"\ngoal = "open Shop"\nexpect = [\'state "cart items" = "0"\']\n')
        self.check_error(["sweep", path, "--demo", *PHONE], 2, "CONFIG", "a state's name has letters", "^")


if __name__ == "__main__":
    unittest.main()
