#!/usr/bin/env python3
"""How many pictures a second the page of a phone shows while the simulated phone changes, and how late they are.

usage: dashboard_frames.py [--seconds N] [PROGRAM]. A switch is tapped every 50 ms over the API; the browser counts
the pictures that it drew, and how long after a command's answer the picture of it stood there. Fails below 5
pictures a second.
"""
import json
import statistics
import time

from dashboard_page import arguments, served

LEAST_A_SECOND, GAP_S = 5, 0.05
TAP = """fetch('/v1/device/tap', {method: 'POST', headers: {Authorization: 'Bearer ' + sessionStorage.getItem('ios-agent-token'),
  'Content-Type': 'application/json'}, body: %s}).then(r => r.ok)""" % json.dumps(
    json.dumps({"device": "embedded", "ref": "switch \"Airplane Mode\""}))
COUNT = "window.drawn = []; document.querySelector('.screen-img').addEventListener('load', () => drawn.push(performance.now()))"


def measure(b, seconds):
    """Pictures a second, changes a second, and the delays in ms."""
    b.evaluate(COUNT)
    begin, taps = time.monotonic(), []
    while time.monotonic() - begin < seconds:
        assert b.evaluate(TAP)
        taps.append(b.evaluate("performance.now()"))
        time.sleep(GAP_S)
    took = time.monotonic() - begin
    time.sleep(1)
    drawn = b.evaluate("drawn")
    late = [min((d - t for d in drawn if d >= t), default=None) for t in taps]
    return len(drawn) / took, len(taps) / took, [x for x in late if x is not None]


def main():
    args = arguments(seconds=10.0)
    with served(args.program) as page:
        page.run("open", "Settings")
        page.sign_in()
        page.browser.go("#/screen")
        page.browser.wait_until("document.querySelector('.screen-img')?.naturalWidth > 1")
        drawn, changed, late = measure(page.browser, args.seconds)
    print(f"{drawn:.1f} pictures a second of {changed:.1f} changes (limit {LEAST_A_SECOND}); a change is seen after "
          f"{statistics.median(late):.0f} ms (p95 {sorted(late)[int(len(late) * .95)]:.0f} ms)")
    assert drawn >= LEAST_A_SECOND


main()
