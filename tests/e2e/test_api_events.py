"""GET /v1/events of a real daemon: in order, nothing lost, nothing twice, whoever writes and however often it breaks."""
import json
import os
import random
import socket
import threading
import unittest

from event_streams import Listener, Writer, delays
from harness import TIMEOUT_S, Case
from test_api import Unix

HIDDEN = "\u2022\u2022\u2022"
LOOK = "open Settings, check that General is on the screen"


class Events(Case):
    def setUp(self):
        super().setUp()
        self.process = self.start_agent("daemon", env={"IOS_AGENT_NO_DAEMON": None})
        for line in self.process.stdout:
            if "ready:" in line:
                break
        else:
            self.fail(self.process.stderr.read())
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.path = os.path.join(self.home, "daemon.sock")

    def a_run(self):
        """The id of a run that is over."""
        done = self.run_agent("run", LOOK, "--demo", "--json")
        self.assertEqual(done.code, 0, done)
        return self.runs()[0]["id"]

    def writer(self):
        writer = Writer(os.path.join(self.home, "ios-agent.db"))
        self.addCleanup(writer.db.close)
        return writer

    def listen(self, **options):
        listener = Listener(self.path, **options)
        listener.start()
        self.assertTrue(listener.ready.wait(TIMEOUT_S))
        return listener

    def finish(self, listener):
        listener.join(TIMEOUT_S)
        self.assertFalse(listener.is_alive(), f"{len(listener.ids)} events, the last {listener.ids[-1:]}")
        self.assertIsNone(listener.failure)

    def test_a_run_of_another_process_is_seen_from_its_first_event_to_its_last(self):
        listener = self.listen(query="?types=run.queued,run.claimed,run.started,run.finished")
        run = self.a_run()
        newest = self.writer().newest()
        again = self.listen(after=0, until=newest)
        self.finish(again)
        self.assertEqual([e["seq"] for e in again.events if e["run"] == run], list(range(1, len(again.events) + 1)))
        self.assertEqual(again.events[-1]["event"], "run.finished")
        for _ in range(100):
            if listener.events and listener.events[-1]["event"] == "run.finished":
                break
            listener.join(0.1)
        self.assertEqual(listener.events[-1]["event"], "run.finished", listener.events)
        listener.socket.shutdown(socket.SHUT_RDWR)

    def test_1000_events_a_second_reach_5_listeners_in_order(self):
        run, writer = self.a_run(), self.writer()
        newest = writer.newest()
        listeners = [self.listen(until=newest + 3000) for _ in range(5)]
        last = writer.write_steadily(run, per_second=1000, seconds=3)
        self.assertEqual(last, newest + 3000)
        for listener in listeners:
            self.finish(listener)
            self.assertEqual(listener.ids, list(range(newest + 1, last + 1)))
            self.assertEqual(listener.resets, 0)
            times = delays(listener, writer)
            self.assertLess(times[len(times) // 2], 250, "median of the delay in ms")

    def test_a_connection_that_breaks_100_times_loses_nothing_and_doubles_nothing(self):
        run, writer, choose = self.a_run(), self.writer(), random.Random(7)
        after = newest = writer.newest()
        seen = []
        writing = threading.Thread(target=writer.write_steadily, args=(run, 1000, 4))
        writing.start()
        for _ in range(100):
            listener = self.listen(after=after, until=newest + 4000, kill_after=choose.randrange(1, 1500))
            self.finish(listener)
            self.assertEqual(listener.resets, 0)
            seen += listener.ids
            after = listener.after
        writing.join()
        self.assertLess(after, newest + 4000, "it broke too late")
        rest = self.listen(after=after, until=newest + 4000)
        self.finish(rest)
        self.assertEqual(seen + rest.ids, list(range(newest + 1, newest + 4001)))

    @unittest.skipIf(os.environ.get("IOS_AGENT_SANITIZER"), "a sanitizer keeps what was freed")
    def test_a_reader_that_does_not_read_holds_nobody_and_no_memory(self):
        run, writer = self.a_run(), self.writer()
        newest = writer.newest()
        slow = socket.socket(socket.AF_UNIX)
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(self.path)
        slow.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
        listener = self.listen(until=newest + 5000)
        before = self.resident_kb()
        for _ in range(50):
            writer.write(run, 100)
        self.finish(listener)
        self.assertEqual(len(listener.ids), 5000)
        self.assertLess(self.resident_kb() - before, 8000)
        status = self.run_agent("daemon", "status", "--json")
        self.assertEqual(status.code, 0, status)

    def resident_kb(self):
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
        except OSError:
            return 0

    def post(self, path, body, method="POST"):
        connection = Unix(self.path)
        self.addCleanup(connection.close)
        connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def until(self, listener, event, count=1):
        for _ in range(600):
            if sum(name == event for name, _ in listener.told) >= count:
                return
            listener.join(0.1)
        self.fail((event, listener.told))

    def test_what_is_only_told_stands_where_it_happened_and_moves_no_place(self):
        with_live, without = self.listen(query="?live=1"), self.listen()
        status, answer = self.post("/v1/runs", {"goal": LOOK, "demo": True, "device": "embedded:told"})
        self.assertEqual(status, 200, answer)
        run = answer["result"]["run"]["id"]
        for listener in (with_live, without):
            self.until(listener, "run.finished")
        told = [name for name, data in with_live.told if data.get("run") == run]
        turns = [name for name in told if name in ("request.started", "text.delta", "request.finished")]
        first = turns[:turns.index("request.finished") + 1]
        self.assertEqual(first, ["request.started"] + ["text.delta"] * (len(first) - 2) + ["request.finished"])
        self.assertGreater(len(first), 2)
        self.assertEqual(turns.count("request.started"), turns.count("request.finished"))
        self.assertTrue(all(data["seq"] == 0 for name, data in with_live.told if name in ("request.started", "text.delta")))
        kept = [name for name in told if name not in ("request.started", "text.delta", "notice")]
        self.assertEqual(kept, [name for name, data in without.told if data.get("run") == run])
        self.assertEqual(with_live.ids, without.ids)

    def test_commands_of_everybody_are_told_and_what_is_typed_in_secret_is_not(self):
        listener = self.listen(query="?live=1&types=command")
        other = self.listen(query="?live=1&device=embedded:other")
        self.assertEqual(self.post("/v1/secrets/TOKEN", {"value": "hush-4711"}, "PUT")[0], 200)
        through = {"IOS_AGENT_NO_DAEMON": None}
        for words in (["open", "Shop"], ["wait-for", "text", "Log In"], ["type", "#user", "ada"],
                      ["type", "#user", " and hush-4711"], ["clear", "#user"], ["type", "#password", "engine-1843"], ["tap", "Nowhere"]):
            self.run_agent(*words, "--device", "embedded:shop", env=through)
        self.post("/v1/device/press", {"device": "embedded:other", "button": "home"})
        self.until(listener, "command", 16)
        self.until(other, "command", 2)
        commands = [data for name, data in listener.told if name == "command"]
        done = [c for c in commands if c["state"] == "done"]
        self.assertEqual([c["verb"] for c in done], ["open", "wait-for", "type", "type", "clear", "type", "tap", "press"])
        self.assertEqual([c["actor"] for c in done], ["cli"] * 7 + ["http"])
        self.assertEqual([c["args"]["text"] for c in done if c["verb"] == "type"], ["ada", HIDDEN, HIDDEN])
        self.assertEqual([c["code"] for c in done], ["OK"] * 6 + ["NOT_FOUND", "OK"])
        self.assertEqual([c["n"] for c in commands], [n for n in range(1, 9) for _ in range(2)])
        self.assertNotIn("engine-1843", json.dumps(commands))
        # What an app shows of it afterwards is on the screen, for everybody who may look.
        self.assertNotIn("hush-4711", json.dumps([c for c in commands if c["verb"] == "type"]))
        self.assertEqual({data["device"] for name, data in other.told if name == "command"}, {"embedded:other"})
        connection = Unix(self.path)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/commands?device=embedded:shop&limit=3")
        listed = json.loads(connection.getresponse().read())["result"]["commands"]
        self.assertEqual(listed, done[6:3:-1])
        self.assertEqual(listener.ids, [])

    def test_a_list_says_from_where_the_stream_goes_on(self):
        self.a_run()
        s = socket.socket(socket.AF_UNIX)
        self.addCleanup(s.close)
        s.connect(self.path)
        s.sendall(b"GET /v1/runs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        data = b""
        while more := s.recv(65536):
            data += more
        listed = json.loads(data.split(b"\r\n\r\n", 1)[1])["result"]
        self.assertEqual([r["state"] for r in listed["runs"]], ["passed"])
        writer = self.writer()
        self.assertEqual(listed["as_of"], writer.newest())
        writer.write(listed["runs"][0]["id"], 3)
        listener = self.listen(query=f"?after={listed['as_of']}", until=listed["as_of"] + 3)
        self.finish(listener)
        self.assertEqual(listener.ids, [listed["as_of"] + i for i in (1, 2, 3)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
