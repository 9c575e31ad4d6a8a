"""Daemons on several machines with the same schedules: each due time is started once, by one of them.

The machines are homes of their own on this one. What a machine started is what its own database says.
"""
import calendar
import collections
import os
import random
import signal
import sqlite3
import subprocess
import threading
import time

import fleet_case
from fleet_case import PROGRAM, Proxy, Raw
from harness import TIMEOUT_S

STOPS = int(os.environ.get("IOS_AGENT_FLEET_STOPS", "12"))
SEED = int(os.environ.get("IOS_AGENT_FLEET_SEED", "1"))
POINTS = ("fleet.fire.claim", "schedule.claim.after", "schedule.fire.before", "store.commit.after")
GOAL = "open Settings, check that General is on the screen"


class Mute(Proxy):
    """What the server says can get lost, and what it is told not."""

    def __init__(self, port):
        super().__init__(port)
        self.mute = False

    def loses(self, a):
        with self.lock:
            return self.mute and any(a is server for _, server in self.pairs)


class Machine:
    """A home with a daemon, which may be killed and started again."""

    def __init__(self, case, name, url):
        self.case = case
        self.name = name
        self.url = url
        self.home = os.path.join(case.folder, name)
        self.process = None
        self.said = []

    def env(self, **more):
        return {"IOS_AGENT_HOME": self.home, "IOS_AGENT_FLEET_URL": self.url, "IOS_AGENT_FLEET_SCHEDULES": "true", **more}

    def agent(self, *args, code=0, **more):
        result = self.case.run_agent(*args, "--json", env=self.env(**more))
        self.case.assertEqual(result.code, code, result)
        return result.envelope()["result"]

    def add(self, name, *args):
        self.agent("schedule", "add", "--name", name, *args, "--demo", GOAL)

    def start(self, **more):
        self.close()
        self.said = []
        self.process = subprocess.Popen([PROGRAM, "daemon"], env=self.case.env(**self.env(**more)), cwd=self.case.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        self.reader = threading.Thread(target=self.read, args=(self.process, self.said), daemon=True)
        self.reader.start()
        return self

    @staticmethod
    def read(process, said):
        for line in process.stdout:
            said.append(line)

    def leads(self):
        """By its own last word, as long as it lives."""
        if not self.process or self.process.poll() is not None:
            return False
        words = [line for line in list(self.said) if "the fleet's schedules" in line]
        return bool(words) and ") starts the fleet's schedules" in words[-1]

    def heard(self, text):
        return any(text in line for line in list(self.said))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        self.case.assertEqual(self.process.wait(timeout=TIMEOUT_S), 0, self.said)

    def close(self):
        if self.process:
            if self.process.poll() is None:
                self.kill()
            self.reader.join()
            self.process.stdout.close()

    def sql(self, text, *values):
        db = sqlite3.connect(os.path.join(self.home, "ios-agent.db"), timeout=TIMEOUT_S)
        with db:
            rows = db.execute(text, values).fetchall()
        db.close()
        return rows

    def fires(self, schedule="tick", runs=True):
        """Due times that it started, or passed over with a reason."""
        return [at for at, run in self.sql("SELECT scheduled_for, run_id FROM schedule_runs WHERE schedule = ?",
                                           schedule) if (run is not None) == runs]


def seconds(iso):
    return calendar.timegm(time.strptime(iso[:19], "%Y-%m-%dT%H:%M:%S"))


class Schedules(fleet_case.FleetCase):
    LEASE_S = "6"  # the leader's row is forgotten after half of it
    EVERY_S = 1

    def setUp(self):
        super().setUp()
        self.machines = []

    def machine(self, name, url=None, start=True, add=True, **more):
        machine = Machine(self, name, url or self.server.url)
        self.addCleanup(machine.close)
        self.machines.append(machine)
        if add:
            machine.add("tick", "--every", f"{self.EVERY_S}s", "--missed", "all", "--overlap", "queue")
        return machine.start(**more) if start else machine

    def leader(self, but=None):
        """The one that leads, once there is one."""
        found = []

        def look():
            found[:] = [m for m in self.machines if m is not but and m.leads()]
            return len(found) == 1
        self.until(look)
        return found[0]

    def ran(self, schedule="tick"):
        """How often each due time was started, over all machines."""
        return collections.Counter(at for m in self.machines for at in m.fires(schedule))

    def claimed(self):
        """Due times that some machine has claimed."""
        return [time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(int(subject.rsplit(".", 1)[1]) // 1000))
                for subject, _ in self.raw().messages("IA_FIRED")]

    def until_more(self, n, of=None):
        """Waits for n more due times, of one machine or of all."""
        def count():
            return len(of.fires()) if of else len(self.ran())
        before = count()
        self.until(lambda: count() >= before + n)

    def check(self, schedule="tick"):
        """None twice, and none left out between the first and the last: a claimed one may be a moment late."""
        def gaps():
            ran = self.ran(schedule)
            at = sorted(seconds(iso) for iso in ran)
            return sorted(set(range(at[0], at[-1], self.EVERY_S)) - set(at))
        self.until(lambda: not gaps())
        ran = self.ran(schedule)
        self.assertEqual([at for at, n in ran.items() if n > 1], [])
        self.assertTrue(all(at.endswith(".000Z") and seconds(at) % self.EVERY_S == 0 for at in ran), ran)
        return ran

    # ---- one leader

    def test_each_due_time_is_started_by_one_machine_which_fleet_status_names(self):
        self.fleet()
        for name in ("a", "b", "c"):
            self.machine(name)
        leader = self.leader()
        self.until_more(4)
        others = [m for m in self.machines if m is not leader]
        self.assertEqual([m.fires() for m in others], [[], []])
        self.check()
        # The others follow: their next time is not the first one.
        first = min(leader.fires())
        self.until(lambda: all(m.sql("SELECT next_at FROM schedules")[0][0] > first for m in others))
        self.assertEqual([m.fires(runs=False) for m in others], [[], []])
        status = others[0].agent("fleet", "status")
        self.assertTrue(leader.heard(status["leader"]["machine"]), status)
        self.assertRegex(self.run_agent("fleet", "status", env=leader.env()).out,
                         f"leader: +{status['leader']['machine']}, since 20")
        self.assertIn("with others", self.run_agent("doctor", env=leader.env()).out)
        self.until(lambda: others[0].heard(f"the fleet's schedules are started by {status['leader']['machine']}"))

    def test_a_leader_that_is_killed_is_followed_by_another_that_goes_on_where_it_was(self):
        self.fleet()
        for name in ("a", "b"):
            self.machine(name)
        leader = self.leader()
        self.until_more(2)
        leader.kill()
        other = self.leader(but=leader)
        self.until_more(3, other)
        leader.start()
        self.until_more(2)
        self.check()

    def test_a_clean_stop_hands_over_at_once(self):
        self.LEASE_S = "240"  # a killed leader would be missed for two minutes
        self.fleet()
        for name in ("a", "b"):
            self.machine(name)
        leader = self.leader()
        self.until_more(2)
        leader.stop()
        begun = time.monotonic()
        other = self.leader(but=leader)
        self.assertLess(time.monotonic() - begun, 60)
        self.until_more(2, other)
        self.check()

    # ---- a leader that does not know that it is none

    def test_a_leader_that_was_stopped_behind_its_decision_starts_nothing_twice(self):
        self.fleet()
        other = self.machine("b", start=False)
        slow = self.machine("a", IOS_AGENT_KILL_AT="fleet.fire.claim:3", IOS_AGENT_KILL_WITH="STOP")
        self.leader(but=other)
        other.start()
        self.assertIs(self.leader(but=slow), other)
        self.until_more(3, other)
        self.assertEqual(len(slow.fires()), 2)
        slow.process.send_signal(signal.SIGCONT)
        self.until(lambda: slow.heard("no longer starts the fleet's schedules"))
        self.until_more(3, other)
        self.assertEqual(len(slow.fires()), 2)
        self.check()

    def test_a_leader_that_is_cut_off_starts_nothing_until_it_is_back(self):
        self.fleet()
        way = Proxy(self.server.port)
        self.addCleanup(way.close)
        other = self.machine("b", start=False)
        cut = self.machine("a", way.url)
        self.leader(but=other)
        other.start()
        self.until_more(2)
        way.cut_off = True
        way.cut()
        self.until(lambda: cut.heard("no longer starts the fleet's schedules"))
        started = cut.fires()
        self.assertIs(self.leader(but=cut), other)
        self.until_more(4, other)
        self.assertEqual(cut.fires(), started)
        self.assertTrue(cut.heard("schedules wait: "), cut.said)
        way.cut_off = False
        self.until(lambda: cut.heard("the fleet's schedules are started by "))
        self.until_more(2)
        other.stop()
        self.until_more(2, cut)
        self.check()

    def test_wherever_a_machine_is_killed_around_a_claim_the_due_time_is_started_once(self):
        for at in ("fleet.fire.claim:2", "schedule.claim.after:2", "schedule.fire.before:2"):
            with self.subTest(at):
                self.fleet()
                self.machines = []
                mark = at.split(":", maxsplit=1)[0].replace(".", "-")
                other = self.machine(f"{mark}-b", start=False)
                killed = self.machine(f"{mark}-a", IOS_AGENT_KILL_AT=at)
                self.until(lambda m=killed: m.heard(") starts the fleet's schedules"))
                other.start()
                self.assertEqual(killed.process.wait(timeout=TIMEOUT_S), -signal.SIGKILL)
                self.assertEqual(len(killed.fires()), 1)
                self.until_more(3, other)
                claims = [subject for subject, _ in self.raw().messages("IA_FIRED")]
                self.assertEqual(len(claims), len(set(claims)))
                killed.start()
                self.until_more(2)
                self.check()
                # Behind the claim it was the killed one's, and nobody else's.
                self.assertEqual(len(killed.fires()), 1 if "fleet.fire.claim" in at else 2)
                for machine in self.machines:
                    machine.kill()
                self.server.stop()
                subprocess.run(["rm", "-rf", os.path.join(self.folder, "js")], check=True)

    def test_a_claim_whose_answer_was_lost_is_this_machines_and_is_started_once(self):
        self.fleet()
        way = Mute(self.server.port)
        self.addCleanup(way.close)
        other = self.machine("b", start=False)
        deaf = self.machine("a", way.url, IOS_AGENT_KILL_AT="fleet.fire.claim:3", IOS_AGENT_KILL_WITH="STOP")
        os.waitpid(deaf.process.pid, os.WUNTRACED)  # it is stopped
        way.mute = True
        deaf.process.send_signal(signal.SIGCONT)
        self.until(lambda: len(self.claimed()) == 3)
        unanswered = set(self.claimed()) - set(deaf.fires())
        self.assertEqual(len(unanswered), 1)
        other.start()
        self.assertIs(self.leader(but=deaf), other)
        self.until_more(2, other)
        self.assertEqual(len(deaf.fires()), 2)
        way.mute = False
        way.cut()
        self.until(lambda: unanswered <= set(deaf.fires()))
        self.check()

    # ---- no server

    def test_without_a_server_nothing_is_started_and_then_what_was_missed_goes_by_its_policy(self):
        self.fleet()
        self.server.kill()
        for name in ("a", "b"):
            machine = self.machine(name, start=False, add=False)
            for policy in ("all", "latest", "skip"):
                machine.add(policy, "--cron", "0 * * * *", "--tz", "UTC", "--missed", policy, "--grace", "1s",
                            "--overlap", "queue")
            machine.sql("UPDATE schedules SET next_at = strftime('%Y-%m-%dT%H:00:00.000Z', 'now', '-4 hours')")
            machine.start()
        for machine in self.machines:
            self.until(lambda m=machine: m.heard("schedules wait: ") and m.heard("schedules that are due wait"))
            self.assertEqual(machine.sql("SELECT * FROM schedule_runs"), [])
        self.server.start()
        leader = self.leader()
        other = next(m for m in self.machines if m is not leader)
        self.until(lambda: all(leader.fires(p, runs=p != "skip") for p in ("all", "latest", "skip")) and
                   leader.sql("SELECT min(next_at) > strftime('%Y-%m-%dT%H:%M:%SZ', 'now') FROM schedules") == [(1,)])
        # Within a minute after the hour the newest is not late.
        self.assertIn(len(leader.fires("all")), (5, 6))
        self.assertIn(len(leader.fires("latest")), (1, 2))
        self.assertLessEqual(len(leader.fires("skip")), 1)
        self.assertEqual(len(leader.fires("skip", runs=False)), 1)
        self.assertEqual(other.sql("SELECT * FROM schedule_runs WHERE run_id IS NOT NULL"), [])

    def test_a_schedule_that_the_leader_does_not_have_is_told_of_where_it_waits(self):
        self.LEASE_S = "2"
        self.fleet()
        self.machine("a")
        leader = self.leader()
        other = self.machine("b", start=False)
        other.add("lonely", "--every", "1s")
        other.start()
        self.until(lambda: other.heard("schedule lonely is due, but "))
        self.assertEqual(other.sql("SELECT * FROM schedule_runs"), [])
        leader.stop()
        self.until(lambda: other.fires("lonely"))
        self.check()

    # ---- other ways to start one

    def test_ticks_of_several_machines_start_a_due_time_once(self):
        self.fleet()
        for name in ("a", "b", "c"):
            machine = self.machine(name, start=False, add=False)
            machine.add("night.ly", "--cron", "0 3 * * *", "--tz", "UTC")
            machine.sql("UPDATE schedules SET next_at = strftime('%Y-%m-%dT03:00:00.000Z', 'now', '-1 day')")
        ticks = [subprocess.Popen([PROGRAM, "schedule", "tick"], env=self.env(**m.env()), cwd=self.folder,
                                  stdout=subprocess.DEVNULL) for m in self.machines]
        self.assertEqual([t.wait(timeout=TIMEOUT_S) for t in ticks], [0, 0, 0])
        ran = self.ran("night.ly")
        self.assertEqual(list(ran.values()), [1])
        self.assertEqual(len({m.sql("SELECT next_at FROM schedules")[0] for m in self.machines}), 1)

    def test_a_tick_without_the_server_starts_nothing_and_says_so(self):
        self.fleet()
        self.server.kill()
        machine = self.machine("a", start=False)
        machine.sql("UPDATE schedules SET next_at = '2026-01-01T00:00:00.000Z'")
        self.assertIn("no NATS server answers", self.run_agent("schedule", "tick", env=machine.env()).err)
        self.assertEqual(machine.sql("SELECT * FROM schedule_runs"), [])

    def test_a_run_that_a_person_asks_for_is_started_where_it_is_asked_for(self):
        self.fleet()
        for name in ("a", "b"):
            machine = self.machine(name, add=False)
            machine.add("rare", "--cron", "0 0 1 1 *")
        leader = self.leader()
        for machine in self.machines:
            machine.agent("schedule", "run-now", "rare")
            self.assertEqual(len(machine.fires("rare")), 1)
        self.assertTrue(leader.leads())

    def test_without_fleet_schedules_nothing_of_a_fleet_is_loaded(self):
        self.fleet()
        maps = f"/proc/{os.getpid()}/maps"
        if not os.path.exists(maps):
            self.skipTest("no /proc")
        loaded = {}
        for name, wanted in (("a", "false"), ("b", "true")):
            machine = self.machine(name, IOS_AGENT_FLEET_SCHEDULES=wanted)
            self.until(lambda m=machine: len(m.fires()) >= 1)
            with open(f"/proc/{machine.process.pid}/maps", encoding="utf-8") as f:
                loaded[wanted] = "libnats" in f.read()
        self.assertEqual(loaded, {"false": False, "true": True})
        self.assertFalse(self.machines[0].heard("fleet"))

    def test_the_permissions_in_the_documentation_suffice(self):
        more = """accounts { A { jetstream: enabled, users: [
          { user: boss, password: b },
          { user: mac1, password: m, permissions: {
              publish: [ "ia.fired.>", "$KV.ia_leader.schedules", "$JS.API.STREAM.INFO.KV_ia_leader",
                         "$JS.API.STREAM.CREATE.KV_ia_leader", "$JS.API.STREAM.CREATE.IA_FIRED",
                         "$JS.API.STREAM.MSG.GET.KV_ia_leader", "$JS.API.STREAM.MSG.GET.IA_FIRED" ]
              subscribe: [ "_INBOX_schedules.>", "$KV.ia_leader.schedules" ] } } ] } }"""
        self.fleet(more)
        url = self.server.url.replace("nats://", "nats://mac1:m@")
        for name in ("a", "b"):
            self.machine(name, url)
        leader = self.leader()
        self.until_more(2)
        self.check()
        leader.stop()
        self.until_more(2, self.leader(but=leader))
        raw = Raw(self.server.url, "mac1", "m")
        self.addCleanup(raw.close)
        for subject in ("ia.run.any.b.r", "ia.verdict.b.r", "$JS.API.STREAM.PURGE.IA_FIRED", "$KV.ia_workers.a"):
            self.assertTrue(raw.publish(subject, b""), subject)

    # ---- all of it

    def end_something(self, dice, what, victim, way):
        if what == "kill":
            victim.kill()
            victim.start()
        elif what == "trap":  # it ends by itself, around its next claim but one
            victim.kill()
            victim.start(IOS_AGENT_KILL_AT=dice.choice(POINTS) + ":2",
                         IOS_AGENT_KILL_WITH=dice.choice(("KILL", "STOP")))
        elif what == "pause":
            victim.process.send_signal(signal.SIGSTOP)
            time.sleep(dice.choice((1, 4)))
            victim.process.send_signal(signal.SIGCONT)
        elif what == "partition":
            way.cut_off = True
            way.cut()
            time.sleep(dice.choice((1, 4)))
            way.cut_off = False
        elif what == "cut":
            way.cut()
        elif what == "server":
            self.server.kill()
            self.server.start()
        else:
            victim.stop()
            victim.start()

    def revive(self):
        for machine in self.machines:
            if machine.process.poll() is not None:
                machine.start()
            machine.process.send_signal(signal.SIGCONT)

    def test_three_machines_and_a_server_that_are_ended_at_random(self):
        self.EVERY_S = 2
        self.fleet()
        dice = random.Random(SEED)
        ways = []
        for name in ("a", "b", "c"):
            ways.append(Proxy(self.server.port))
            self.addCleanup(ways[-1].close)
            self.machine(name, ways[-1].url)
        self.leader()
        for number in range(STOPS):
            before = len(self.ran())
            self.until(lambda n=before: self.revive() or len(self.ran()) > n)
            leaders = [m for m in self.machines if m.leads()]
            victim = dice.choice(leaders if leaders and number % 2 else self.machines)
            what = dice.choice(("kill", "trap", "trap", "pause", "partition", "cut", "server", "stop"))
            print(f"{number}: {what} {victim.name}", flush=True)
            self.end_something(dice, what, victim, ways[self.machines.index(victim)])
        for machine in self.machines:
            machine.kill()
            machine.start()
        self.until_more(3)
        ran = self.check()
        self.until(lambda: set(self.claimed()) <= set(self.ran()))
        print(f"{len(ran)} due times, started by {[len(m.fires()) for m in self.machines]}")


if __name__ == "__main__":
    fleet_case.main()
