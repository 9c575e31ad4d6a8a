"""The dashboard of a fleet: a real nats-server, real workers, and a sweep that runs on them."""
import json
import os
import signal
import subprocess
import threading
import time

import fleet_case
from dashboard_case import DashboardCase
from fleet_case import FleetCase
from harness import PROGRAM, TIMEOUT_S

SLOW = "?faults=slow-tree:20000"
HOSTILE = "<img src=x onerror=alert(1)>\u202e\u2066gnp"
ROWS = ".fleet-worker"


class Fleet(DashboardCase, FleetCase):
    LEASE_S = "5"
    MORE = ""
    USER = ""

    def prepare(self):
        self.fleet(self.MORE)
        self.url = self.server.url.replace("://", f"://{self.USER}")

    def start_daemon(self, *more, **env):
        super().start_daemon(*more, IOS_AGENT_FLEET_URL=self.url, **env)

    def start_sweep(self, n, name="Nightly", home=None, *more):
        path = os.path.join(self.folder, f"{name}.toml")
        with open(path, "w", encoding="utf-8") as f:
            for i in range(n):
                f.write(f'[[goal]]\nname = "{name} goal {i}"\ngoal = "open Settings, turn on Airplane Mode"\n')
        env = {"IOS_AGENT_HOME": home} if home else {}
        process = subprocess.Popen([PROGRAM, "sweep", path, "--fleet", self.server.url, "--demo", "--json", *more],
                                   env=self.env(**env), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.reap, process)
        return process

    def stop_sweep(self, process):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_S)

    def text(self, selector):
        return self.browser.evaluate("document.querySelector(%s)?.innerText ?? ''" % json.dumps(selector))

    def row(self, name):
        """What the card of a worker says; "": there is none."""
        return self.browser.evaluate("[...document.querySelectorAll('%s')].find(e => e.querySelector('h3').textContent === %s)"
                                     "?.innerText ?? ''" % (ROWS, json.dumps(name)))

    def wait_for_row(self, name, *parts):
        self.until(lambda: all(p in self.row(name) for p in parts))

    def has_library(self):
        with open(f"/proc/{self.daemon.pid}/maps", encoding="utf-8") as maps:
            return "libnats" in maps.read()

    def slow_worker(self, name, *devices, labels="model=iphone17,os=26.1"):
        named = [x for d in devices for x in ("--device", f"embedded:{d}{SLOW}")]
        return self.worker(name, "--labels", labels, *named)

    # ---- a fleet with nobody, and with somebody ----

    def test_a_fleet_without_workers_says_how_to_start_one_and_is_looked_at_only_where_somebody_asks(self):
        b = self.browser
        self.open_page()
        b.wait_until("document.querySelector('nav [data-page=fleet]').checkVisibility()")
        self.assertFalse(self.has_library())
        b.key("g", 71)
        b.key("f", 70)
        b.wait_for_text("No worker is there")
        self.assertTrue(self.has_library())
        self.assertIn(f"ios-agent worker --fleet {self.server.url}", self.text("main"))
        self.assertIn("connected", self.text("ia-fleet [role=status]"))
        self.look("fleet-nobody")
        self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        b.wait_for_text("mac-1", ".fleet-workers")
        self.assertNotIn("No worker", self.text("main"))

    def test_each_lane_is_shown_with_its_run_and_leads_to_it(self):
        b = self.browser
        self.slow_worker("studio-1", "iphone-17", "iphone-17-pro", "iphone-air")
        self.slow_worker("mini-2", "iphone-17e")
        self.slow_worker("mini-3", "a", "b", labels="os=18")
        here = self.start_sweep(6, "Nightly", None, "--labels", "os=26.1")
        self.open_page("#/fleet")
        self.wait_for_row("studio-1", "iphone-17-pro", "3 of 3 busy", "Nightly goal", "os=26.1")
        self.wait_for_row("mini-3", "free", "0 of 2 busy")
        # A sweep of somebody else: its runs are not here, and nothing leads to them.
        there = self.start_sweep(1, "Other", os.path.join(self.folder, "other"), "--labels", "os=18")
        self.wait_for_row("mini-3", "of another data folder")
        self.until(lambda: "of another data folder" not in self.row("studio-1"))
        # And who leads the schedules: no one yet, then a machine of its own.
        self.assertIsNone(self.api("GET", "/fleet")["leader"])
        self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None, "IOS_AGENT_HOME": os.path.join(self.folder, "lead"),
                                        "IOS_AGENT_FLEET_URL": self.url, "IOS_AGENT_FLEET_SCHEDULES": "true"})
        b.wait_for_text("Leads the schedules", ".figures")
        self.look("fleet-busy", widths=(390, 820, 1024, 1440))
        run = b.evaluate("document.querySelector('.fleet-lanes .is-busy a[href^=\"#/run/\"]').hash").rsplit("/", 1)[1]
        self.assertEqual(self.api("GET", f"/runs/{run}")["run"]["id"], run)
        b.evaluate("document.querySelector('.fleet-lanes .is-busy a[href^=\"#/run/\"]').click()")
        b.wait_for_text("open Settings", "ia-run h1")
        self.assertEqual(b.evaluate("location.hash"), f"#/run/{run}")
        fleet = self.api("GET", "/fleet")
        self.assertEqual({w["worker"]: w["devices"] for w in fleet["workers"]}, {"studio-1": 3, "mini-2": 1, "mini-3": 2})
        self.assertIn("model=iphone17,os=26:1", [q["labels"] for q in fleet["queues"]])
        # Of a goal the bucket has nothing but its ids.
        values = self.raw().messages("KV_ia_workers")
        self.assertTrue(values)
        for _, body in values:
            self.assertNotIn(b"Airplane", body)
            self.assertNotIn(b"slow-tree", body)
        self.stop_sweep(here)
        self.stop_sweep(there)

    def test_a_worker_that_was_killed_falls_silent_and_goes(self):
        b = self.browser
        self.goals(1)
        self.worker("mac-1")
        dead = self.worker("mac-2")
        self.open_page("#/fleet")
        self.assertEqual(self.sweep(self.goals(2)).code, 0)
        self.wait_for_row("mac-2", "up")
        dead.kill()
        self.wait_for_row("mac-2", "silent for", "It may have died")
        self.assertIn("1 silent", self.text(".figures"))
        self.assertIn("up", self.row("mac-1"))
        self.look("fleet-silent", widths=(390, 1440))
        self.until(lambda: self.row("mac-2") == "")
        self.assertIn("up", self.row("mac-1"))
        b.wait_for_text("all up", ".figures")

    def test_a_worker_is_drained_by_who_may_act_and_is_sure(self):
        b = self.browser
        worker = self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        self.open_page("#/fleet", "--view-only")
        self.wait_for_row("mac-1", "Drain")
        self.assertTrue(b.evaluate("document.querySelector('.fleet-worker button').disabled"))
        self.open_page("#/fleet")
        self.wait_for_row("mac-1", "Drain")
        b.click("button", "Drain mac-1")
        b.wait_for_text("takes no new runs, finishes those in hand", "dialog")
        self.look("fleet-drain", widths=(390, 1440))
        b.click("dialog button", "Cancel")
        b.wait_until("!document.querySelector('dialog')")
        self.assertIsNone(worker.process.poll())
        self.slow_worker("mac-2", "a", labels="os=1")
        sweep = self.start_sweep(1, "Slow", None, "--labels", "os=1")
        self.wait_for_row("mac-2", "1 of 1 busy")
        b.click("button", "Drain mac-2")
        b.click("dialog button", "Drain")
        self.wait_for_row("mac-2", "draining", "Slow goal 0")
        self.assertIn("1 draining", self.text(".figures"))
        self.assertNotIn("Drain", self.row("mac-2"))
        b.click("button", "Drain mac-1")
        b.click("dialog button", "Drain")
        self.assertEqual(worker.process.wait(timeout=TIMEOUT_S), 0)
        self.until(lambda: self.row("mac-1") == "")
        self.stop_sweep(sweep)

    # ---- errors ----

    def test_a_server_that_was_killed_is_told_of_and_comes_back(self):
        b = self.browser
        self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        self.open_page("#/fleet")
        self.wait_for_row("mac-1", "up")
        self.server.kill()
        b.wait_for_text("no NATS server answers", "[role=alert]")
        b.wait_for_text("The following is as of")
        self.assertIn("not connected", self.text("ia-fleet [role=status]"))
        self.assertIn("mac-1", self.row("mac-1"))
        self.look("fleet-server-away")
        b.open("about:blank")
        self.open_page("#/fleet")
        b.wait_for_text("no NATS server answers", "[role=alert]")
        self.assertFalse(b.evaluate("document.querySelector('.fleet-work').checkVisibility()"))
        self.server.start()
        self.wait_for_row("mac-1", "up")
        self.assertEqual(b.evaluate("document.querySelectorAll('ia-fleet [role=alert]').length"), 0)

    def test_a_server_that_hangs_keeps_no_request_waiting(self):
        self.worker("mac-1")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        self.open_page("#/fleet")
        self.wait_for_row("mac-1", "up")
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            self.browser.wait_for_text("not connected")
            self.browser.wait_for_text("does not answer", "[role=alert]")
            begun = time.monotonic()
            self.api("GET", "/runs")
            self.api("GET", "/fleet")
            self.assertLess(time.monotonic() - begun, 5)
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.wait_for_row("mac-1", "up")

    # ---- many workers, and what they may say ----

    def crowd(self, n):
        """Workers that only say that they are there, and go on to say it."""
        stop = threading.Event()
        self.addCleanup(stop.set)
        lanes = [{"device": HOSTILE, "since_ms": 1}, {"device": "b", "batch": "../../key", "run": "x"}]

        def say():
            raw = fleet_case.Raw(self.server.url)
            while not stop.is_set():
                for i in range(n):
                    body = {"v": 1, "class": "any" if i % 3 else f"os={i % 2 + 17}", "version": "9", "state": "up", "lanes": 4, "busy": i % 5,
                            "since_ms": 1, "done": i, "now_ms": int(time.time() * 1000), "at": lanes}
                    raw.publish(f"$KV.ia_workers.w{i:03}", json.dumps(body).encode())
                raw.publish("$KV.ia_workers.bad", b'{"v":1,"class":"<b>"}')
                raw.publish("$KV.ia_workers.worse", b"[" * 5000)
                stop.wait(4)
            raw.close()
        thread = threading.Thread(target=say)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(stop.set)

    def test_a_hundred_workers_can_be_filtered_and_their_words_stay_words(self):
        b = self.browser
        self.worker("real", "--labels", "rack=99")
        self.assertEqual(self.sweep(self.goals(1)).code, 0)
        self.crowd(130)
        self.open_page("#/fleet")
        b.wait_until("document.querySelectorAll('.fleet-worker').length === 131")
        self.assertEqual(b.evaluate("document.querySelectorAll('ia-fleet img').length"), 0)
        self.look("fleet-many")
        b.click("summary", "Devices of w000")
        self.wait_for_row("w000", "<img src=x onerror=alert(1)>")
        self.assertNotIn("\u202e", self.row("w000"))
        self.assertNotIn("another data folder", self.text("main")) # a run that is none is left out
        b.click("input[type=search]")
        b.write("rack=99")
        b.wait_until("document.querySelectorAll('.fleet-worker').length === 1")
        self.assertIn("real", self.row("real"))
        b.wait_for_text("1 of 131 workers", "ia-fleet p[role=status]")
        self.look("fleet-filtered", widths=(390, 1440))
        # The page goes on to look, and takes nobody's place.
        done = self.row("real")
        self.assertEqual(self.sweep(self.goals(3), "--labels", "rack=99").code, 0)
        self.until(lambda: self.row("real") != done)
        self.assertEqual(b.evaluate("document.activeElement.type"), "search")


class Refused(Fleet):
    """The server wants a password, and the daemon has a wrong one."""

    MORE = "authorization { user: a, password: right }"
    USER = "a:hunter2@"

    def test_wrong_credentials_are_told_without_them(self):
        self.open_page("#/fleet")
        self.browser.wait_for_text("not connected")
        self.browser.wait_for_text("Check the user and password", "[role=alert]")
        self.assertNotIn("hunter2", self.browser.text())
        self.assertNotIn("hunter2", json.dumps(self.api("GET", "/fleet")))
        self.look("fleet-refused", widths=(390, 1440))


for name in [n for n in dir(Fleet) if n.startswith("test_")]:
    setattr(Refused, name, None)


class NoFleet(DashboardCase):
    def test_without_a_fleet_its_page_says_how_to_start_one_and_nothing_is_loaded(self):
        b = self.browser
        self.open_page("#/fleet")
        b.wait_for_text("No fleet is configured")
        b.wait_for_text("ios-agent config set fleet.url")
        self.assertFalse(b.evaluate("document.querySelector('nav [data-page=fleet]').checkVisibility()"))
        self.assertFalse(self.api("GET", "/fleet")["configured"])
        with open(f"/proc/{self.daemon.pid}/maps", encoding="utf-8") as maps:
            self.assertNotIn("libnats", maps.read())
        self.look("fleet-none")
        # It can be configured while the daemon runs.
        self.assertEqual(self.run_agent("config", "set", "fleet.url", "nats://127.0.0.1:1").code, 0)
        b.wait_for_text("not connected")
        b.wait_until("document.querySelector('nav [data-page=fleet]').checkVisibility()")


if __name__ == "__main__":
    fleet_case.main()
