#!/usr/bin/env python3
"""How soon the dashboard can be used, how its list of 10,000 runs scrolls, and what a tab weighs.

usage: dashboard.py [--rounds N] [PROGRAM]. Makes a home with 10,000 runs, serves it, and opens the page in
Chromium. Prints, in ms from the start of the navigation by the page's own clock: when the first response came,
when the frame stood, and when the page's own content could be used (medians and the worst of the rounds; the
first visit signs in, a return is a reload), and what the main thread computed, which other programs do not
lengthen. Then the longest task and the rows that exist while the list is
scrolled from its top to its end by the wheel and by jumps, and the heap after each page. Fails when a first
visit of the overview, or a return to it, takes more than 200 ms (median), or a task while scrolling does.
"""
import json
import statistics
import sys
import time

from dashboard_page import arguments, served
import big_history

USABLE_MS, TASK_MS = 200, 200
# What each page is good for once it is there.
PLACES = (("#/", ".verdicts tbody tr"), ("#/runs", ".runs-space .runs-row a"), ("#/trends?days=90", ".chart .spot"))
# Marks the first time that an element is in the document, before anything of the page runs.
WATCH = """(() => { const wanted = %s; window.seen = {};
  new MutationObserver(() => { for (const [k, s] of Object.entries(wanted)) if (!(k in seen) && document.querySelector(s)) seen[k] = performance.now(); })
    .observe(document, {childList: true, subtree: true});
  window.long = []; new PerformanceObserver(l => long.push(...l.getEntries().map(e => e.duration))).observe({type: 'longtask'}); })()"""


def visits(b, place, selector, rounds, address=None):
    """Returns to a place or, with addresses to sign in by, first visits of the overview."""
    watch = b.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH % json.dumps({"frame": "nav a", "usable": selector}))["identifier"]
    found = []
    for _ in range(rounds):
        if address:
            b.evaluate("sessionStorage.clear()") if found else None
            b.open("about:blank")
            b.open(address())
        else:
            b.go(place)
            b.events.clear()
            b.call("Page.reload")
            b.wait_for("Page.loadEventFired")
        b.wait_until("window.seen?.usable")
        cpu = {m["name"]: m["value"] for m in b.call("Performance.getMetrics")["metrics"]}["ThreadTime"] * 1000
        found.append({"cpu": cpu, **b.evaluate("({first: performance.getEntriesByType('navigation')[0].responseStart, frame: seen.frame, usable: seen.usable, "
                                "long: Math.max(0, ...long)})")})
    b.call("Page.removeScriptToEvaluateOnNewDocument", identifier=watch)
    return found


def say(name, found):
    parts = []
    for key in ("first", "frame", "usable"):
        values = [f[key] for f in found]
        parts.append(f"{key} {statistics.median(values):.0f} ({max(values):.0f})")
    print(f"{name:28} {', '.join(parts)} ms; longest task {max(f['long'] for f in found):.0f} ms, "
          f"main thread {statistics.median(f['cpu'] for f in found):.0f} ms", flush=True)
    return statistics.median(f["usable"] for f in found)


def scroll(b):
    """The list from top to end; the longest task, and the most rows that existed."""
    b.go("#/runs")
    b.wait_until("document.querySelector('.runs-space .runs-row a')")
    b.evaluate("window.long = []; window.most = 0; new MutationObserver(() => { most = Math.max(most, document.querySelectorAll('.runs-row').length); })"
               ".observe(document.querySelector('.runs-space'), {childList: true}); document.querySelector('.runs-grid').focus(); 1")
    x, y = b.evaluate("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('.runs-grid').getBoundingClientRect())")
    grid = "document.querySelector('.runs-grid')"
    began = time.monotonic()
    while not b.evaluate(f"{grid}.scrollTop + {grid}.clientHeight >= {grid}.scrollHeight - 2"):
        for _ in range(20):
            b.wheel(x, y, 2000)
    took = time.monotonic() - began
    for _ in range(20):
        for key, code in (("Home", 36), ("End", 35)):
            b.key(key, code)
    b.wait_until("[...document.querySelectorAll('.runs-space .runs-row')].every(r => r.querySelector('a'))")
    return b.evaluate("Math.max(0, ...long)"), b.evaluate("most"), took


def heap(b):
    b.call("HeapProfiler.collectGarbage")
    found = {m["name"]: m["value"] for m in b.call("Performance.getMetrics")["metrics"]}
    return f"{found['JSHeapUsedSize'] / 1e6:.1f} MB, {int(found['Nodes'])} nodes"


def usable(page, rounds):
    """What is too late."""
    b, bad = page.browser, []
    for place, selector in PLACES:
        took = [say("#/, signing in", visits(b, place, selector, rounds, page.address))] if place == "#/" else []
        took.append(say(f"{place}, again", visits(b, place, selector, rounds)))
        if place == "#/" and max(took) > USABLE_MS:
            bad.append(f"the overview can be used after {max(took):.0f} ms")
        print(f"{'':28} {heap(b)}", flush=True)
    return bad


def main():
    args = arguments(rounds=10)
    with served(args.program, lambda home: big_history.make(home, args.program, runs=10000, journals=100)) as page:
        b = page.browser
        b.width(1440)
        b.call("Performance.setTimeDomain", timeDomain="threadTicks")
        b.call("Performance.enable")
        bad = usable(page, args.rounds)
        b.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH % "{}")
        b.call("Page.reload")
        b.wait_until("document.querySelector('.dot.is-live')")
        task, most, took = scroll(b)
        print(f"10,000 runs scrolled by the wheel in {took:.1f} s and by keys: longest task {task:.0f} ms, at most {most} rows; {heap(b)}")
        if task > TASK_MS:
            bad.append(f"a task of {task:.0f} ms while scrolling")
    print("\n".join(bad) or "all within limits")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
