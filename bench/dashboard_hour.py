#!/usr/bin/env python3
"""What a tab of the dashboard grows to in an hour of work, and whether it keeps up with 1,000 events a second.

usage: dashboard_hour.py [--minutes N] [PROGRAM]. Runs follow one another on the simulated phone while pages are
opened in turn; then 1,000 events a second for 10 s. Prints the heap (after a collection), the nodes and the
listeners each few minutes, and how late the page is at the end; fails beyond 20 MB of growth, or when the page is
more than 2 s behind.
"""
import json
import os
import time

from dashboard_page import arguments, served
from event_streams import Writer

PLACES = ("#/", "#/runs", "#/run/last", "#/chat", "#/pipeline", "#/screen", "#/agents", "#/trends", "#/settings")
GOAL = "open Contacts, add a contact named Ada Lovelace with phone 555-0100"
STAY_S, GROWTH_MB, LATE_S = 6, 20, 2


def size(b):
    b.call("HeapProfiler.collectGarbage")
    found = {m["name"]: m["value"] for m in b.call("Performance.getMetrics")["metrics"]}
    return found["JSHeapUsedSize"] / 1e6, int(found["Nodes"]), int(found["JSEventListeners"])


def api(b, method, path, body=None):
    return b.evaluate("fetch(%s, {method: %s, body: %s, headers: {Authorization: 'Bearer ' + "
                      "sessionStorage.getItem('ios-agent-token'), 'Content-Type': 'application/json'}}).then(r => r.json())"
                      % (json.dumps("/v1" + path), json.dumps(method), json.dumps(json.dumps(body)) if body else "undefined"))


def work(b, minutes):
    """Pages in turn while runs come and go; the size after the first round, and at the end."""
    end, first, n = time.monotonic() + minutes * 60, None, 0
    while time.monotonic() < end:
        for place in PLACES:
            api(b, "POST", "/runs", {"goal": GOAL, "demo": True, "fresh": True, "pictures": "steps"})
            b.go(place)
            b.wait_until("document.querySelector('main > :not(.loading)')")
            time.sleep(STAY_S)
            b.events.clear()
        b.go("#/")
        time.sleep(1)
        now = size(b)
        first = first or now
        n += 1
        if n % 5 == 1:
            print(f"{n * len(PLACES)} pages and runs: {now[0]:.1f} MB, {now[1]} nodes, {now[2]} listeners", flush=True)
    return first, now


def flood(b, database, run):
    """Seconds that the page needs to have the last of 10,000 events after it was written."""
    writer = Writer(database)
    newest = writer.newest()
    writer.write_steadily(run, 1000, 10)
    wrote = time.monotonic()
    b.wait_until(f"Number(sessionStorage.getItem('ios-agent-last')) >= {newest + 10000}", 30)
    return time.monotonic() - wrote


def main():
    args = arguments(minutes=60.0)
    with served(args.program) as page:
        b = page.browser
        b.call("Performance.enable")
        page.sign_in()
        first, last = work(b, args.minutes)
        run = api(b, "GET", "/runs/last")["result"]["run"]["id"]
        late = flood(b, os.path.join(page.home, "ios-agent.db"), run)
    print(f"{args.minutes:g} min: {first[0]:.1f} MB to {last[0]:.1f} MB (limit +{GROWTH_MB}), nodes {first[1]} to {last[1]}; "
          f"1,000 events/s: {late:.2f} s late (limit {LATE_S})")
    assert last[0] - first[0] <= GROWTH_MB and late <= LATE_S


main()
