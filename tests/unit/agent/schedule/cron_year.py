"""A year of fires in three zones beside a list made another way.

usage: cron_year.py CRON_LIST [ZONE...]

The other way: every minute of the year in UTC is turned into the zone's time by Python's
zoneinfo, and matched against sets of numbers; no parsing, no search for a next fire. A job that
follows the wall fires at every minute that matches. Any other fires once for every date and time
that matches: at its first minute, or, where clocks skip it, at the moment of the change.
"""
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = ["Europe/Zurich", "America/New_York", "Australia/Lord_Howe"]
EVERY = set(range(60))
HOURS = set(range(24))
DAYS = set(range(1, 32))
MONTHS = set(range(1, 13))
WEEK = set(range(7))  # 0 is Sunday
# expression, minutes, hours, days, months, weekdays, either day field is enough, follows the wall
JOBS = [
    ("0 3 * * 1-5", {0}, {3}, DAYS, MONTHS, {1, 2, 3, 4, 5}, False, False),
    ("30 2 * * *", {30}, {2}, DAYS, MONTHS, WEEK, False, False),
    ("15,45 1,2 * * *", {15, 45}, {1, 2}, DAYS, MONTHS, WEEK, False, False),
    ("*/15 * * * *", {0, 15, 30, 45}, HOURS, DAYS, MONTHS, WEEK, False, True),
    ("5 * * * sun", {5}, HOURS, DAYS, MONTHS, {0}, False, True),
    ("0 0 1,15 * fri", {0}, {0}, {1, 15}, MONTHS, {5}, True, False),
    ("59 23 28-31 feb,mar,oct *", {59}, {23}, {28, 29, 30, 31}, {2, 3, 10}, WEEK, False, False),
]
MINUTE = timedelta(minutes=1)


def matches(job, t):
    _, minutes, hours, days, months, week, either, _ = job
    day, weekday = t.day in days, (t.weekday() + 1) % 7 in week
    return (t.minute in minutes and t.hour in hours and t.month in months
            and ((day or weekday) if either else (day and weekday)))


def local_times(zone, start, end):
    """(moment, what the clock shows) for every minute."""
    moment = start
    while moment <= end:
        yield moment, moment.astimezone(zone).replace(tzinfo=None, fold=0)
        moment += MINUTE


def expected(job, times, start):
    fires, seen, before = [], set(), None
    follows_wall = job[7]
    for moment, shown in times:
        if follows_wall:
            if matches(job, shown) and moment > start:
                fires.append(moment)
        else:
            skipped = before + MINUTE if before else shown
            due = False
            while skipped < shown:  # clocks went forward
                due = due or matches(job, skipped)
                skipped += MINUTE
            due = due or (matches(job, shown) and shown not in seen)
            if due and moment > start:
                fires.append(moment)
            seen.add(shown)
        before = shown
    return [int(f.timestamp() * 1000) for f in fires]


def main():
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    end = datetime(2027, 1, 1, tzinfo=timezone.utc)
    compared = 0
    zones = sys.argv[2:] or ZONES
    for name in zones:
        times = list(local_times(ZoneInfo(name), start, end))
        for job in JOBS:
            want = expected(job, times, start)
            ms = [str(int(t.timestamp() * 1000)) for t in (start, end)]
            out = subprocess.run([sys.argv[1], job[0], name, *ms], capture_output=True, text=True,
                                 check=True).stdout
            got = [int(line) for line in out.split()]
            if got != want:
                odd = sorted(set(got) ^ set(want))[:5]
                shown = [datetime.fromtimestamp(o / 1000, ZoneInfo(name)).isoformat() for o in odd]
                sys.exit(f"{job[0]} in {name}: {len(got)} fires, not {len(want)}; first: {shown}")
            compared += len(want)
    print(f"{compared} fires of {len(JOBS)} expressions in {len(zones)} zones are equal")


main()
