#!/usr/bin/env python3
"""cycles.py [--nm NM] [--allow FILE]... [--allow-data FILE]... OBJECT...: no circles between a target's files.

Reads compiled code, not sources: each OBJECT is an object file or a static library, and a file uses
another when it has an undefined symbol that the other one defines, as a function or as data: a call, an
address that is taken, a table that is read. Static symbols and those from outside of OBJECT... do not count.

Two files that use each other, directly or through others, cannot be read, tested or moved alone. For
each such circle this prints the files, a shortest way round, and every use inside it with its symbols,
and exits 1. A target that cannot be free of circles yet names with --allow the files that are left out;
an --allow that is not needed any more is an error too, so the list only shrinks. --allow-data leaves
out less: only that others use the data of that file; calls of its functions still count.

The symbols come from `nm -g -P`, whose lines POSIX defines: name, type, value, size. On macOS the names
begin with an underscore, on both sides of a use, so nothing here has to know.
"""

import argparse
import collections
import re
import subprocess
import sys

FUNCTIONS = "T"
DATA = "DRBSVC"  # initialised, read-only, zeroed, in another section (Apple), weak, common


def file_name(path):
    """The source of an object: "CMakeFiles/ia_x.dir/loop/state.c.o" is "loop/state.c"."""
    path = re.sub(r"^.*\.dir/(\./)*", "", path) if ".dir/" in path else path.rsplit("/", 1)[-1]
    return re.sub(r"\.(o|obj)$", "", path)


def read_symbols(nm, paths):
    """The symbols that each file defines, with their types, and those that it lacks."""
    defined, undefined = {}, {}
    for path in paths:
        run = subprocess.run([nm, "-g", "-P", path], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"cycles.py: {nm} cannot read {path}")
        file = None if path.endswith(".a") else file_name(path)
        for line in run.stdout.splitlines():
            # A member of a library begins with "libx.a[state.c.o]:" (GNU, POSIX), "libx.a(state.c.o):"
            # (Apple) or "state.c.o:" (LLVM). A single object has no such line.
            member = re.match(r"(?:.*[\[(])?(.*?)[\])]?:$", line)
            if member:
                file = file_name(member.group(1))
                while file in defined:  # the same name in two folders
                    file += "'"
            if file is not None:
                defined.setdefault(file, {})
                undefined.setdefault(file, set())
            fields = line.split()
            if member or len(fields) < 2 or file is None:
                continue
            if fields[1] in FUNCTIONS + DATA:
                defined[file][fields[0]] = fields[1]
            elif fields[1] == "U":
                undefined[file].add(fields[0])
    return defined, undefined


def use_graph(defined, undefined, allow_data):
    """{user: {used: [symbols]}}, without the uses of data in the files of allow_data"""
    home = {symbol: file for file, symbols in defined.items() for symbol in symbols}
    graph = {file: collections.defaultdict(list) for file in defined}
    for file, symbols in undefined.items():
        for symbol in sorted(symbols):
            used = home.get(symbol, file)
            if used != file and not (used in allow_data and defined[used][symbol] in DATA):
                graph[file][used].append(symbol)
    return graph


def reachable(graph, start):
    """Every file that start uses, directly or through others, with the file before it on a shortest way."""
    before, queue = {}, collections.deque([start])
    while queue:
        file = queue.popleft()
        for used in sorted(graph[file]):
            if used not in before:
                before[used] = file
                queue.append(used)
    return before


def circles(graph):
    """The strongly connected components of more than one file, as sorted lists."""
    reach = {file: set(reachable(graph, file)) for file in graph}
    left, found = sorted(graph), []
    while left:
        first = left[0]
        component = [f for f in left if f == first or (f in reach[first] and first in reach[f])]
        left = [f for f in left if f not in component]
        if len(component) > 1:
            found.append(component)
    return found


def way_round(graph, component):
    """A shortest circle inside a component: [a, b, ..., a]."""
    shortest = None
    for start in component:
        before = reachable(graph, start)
        way = [start]
        while len(way) == 1 or way[-1] != start:
            way.append(before[way[-1]])
        if shortest is None or len(way) < len(shortest):
            shortest = way[::-1]
    return shortest


def describe(graph, component):
    print(f"{len(component)} files use each other in a circle: {', '.join(component)}")
    way = way_round(graph, component)
    print("  a shortest way round:")
    for user, used in zip(way, way[1:]):
        print(f"    {user} -> {used}: {', '.join(graph[user][used])}")
    print("  every use inside:")
    for user in component:
        for used in component:
            if used in graph[user]:
                print(f"    {user} -> {used}: {', '.join(graph[user][used])}")


def without(graph, files):
    return {
        user: {used: symbols for used, symbols in uses.items() if used not in files}
        for user, uses in graph.items()
        if user not in files
    }


def main():
    parser = argparse.ArgumentParser(description="Finds circles of uses between the files of a target.")
    parser.add_argument("--nm", default="nm", help="the program that lists symbols")
    parser.add_argument("--allow", metavar="FILE", action="append", default=[],
                        help="a file that may be part of a circle for now")
    parser.add_argument("--allow-data", metavar="FILE", action="append", default=[],
                        help="a file whose data may close a circle")
    parser.add_argument("objects", metavar="OBJECT", nargs="+", help="an object file or a static library")
    args = parser.parse_args()

    defined, undefined = read_symbols(args.nm, args.objects)
    if not any(kind in FUNCTIONS for symbols in defined.values() for kind in symbols.values()):
        sys.exit("cycles.py: no function is defined here: was the target built, and without LTO?")
    graph = use_graph(defined, undefined, args.allow_data)

    bad = False
    for file in args.allow:
        others = set(args.allow) - {file}
        if file not in graph:
            print(f"--allow {file}: there is no such file in this target")
            bad = True
        elif not any(file in component for component in circles(without(graph, others))):
            print(f"--allow {file}: it is not part of a circle any more: remove the permission")
            bad = True
    for file in args.allow_data:
        others = set(args.allow_data) - {file}
        strict = without(use_graph(defined, undefined, others), args.allow)
        if file not in graph:
            print(f"--allow-data {file}: there is no such file in this target")
            bad = True
        elif not any(file in component for component in circles(strict)):
            print(f"--allow-data {file}: its data closes no circle any more: remove the permission")
            bad = True
    graph = without(graph, args.allow)
    for component in circles(graph):
        describe(graph, component)
        bad = True
    if not bad:
        uses = sum(len(used) for used in graph.values())
        print(f"{len(graph)} files, {uses} pairs of user and used, no circle")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
