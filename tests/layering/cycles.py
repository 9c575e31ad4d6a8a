#!/usr/bin/env python3
"""cycles.py [--nm NM] [--allow FILE]... OBJECT...: no circles of calls between the files of a target.

Reads compiled code, not sources: each OBJECT is an object file or a static library, and a file calls
another when it has an undefined symbol that the other one defines as a function. Taking a function's
address counts as a call; data, static functions and symbols from outside of OBJECT... do not.

Two files that call each other, directly or through others, cannot be read, tested or moved alone. For
each such circle this prints the files, a shortest way round, and every call inside it with its symbols,
and exits 1. A target that cannot be free of circles yet names with --allow the files that are left out;
an --allow that is not needed any more is an error too, so the list only shrinks.

The symbols come from `nm -g -P`, whose lines POSIX defines: name, type, value, size. On macOS the names
begin with an underscore, on both sides of a call, so nothing here has to know.
"""

import argparse
import collections
import re
import subprocess
import sys


def file_name(path):
    """The source of an object: "CMakeFiles/ia_x.dir/loop/state.c.o" is "loop/state.c"."""
    path = re.sub(r"^.*\.dir/(\./)*", "", path) if ".dir/" in path else path.rsplit("/", 1)[-1]
    return re.sub(r"\.(o|obj)$", "", path)


def read_symbols(nm, paths):
    """The functions that each file defines, and the symbols that it lacks."""
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
                defined.setdefault(file, set())
                undefined.setdefault(file, set())
            fields = line.split()
            if member or len(fields) < 2 or file is None:
                continue
            if fields[1] == "T":
                defined[file].add(fields[0])
            elif fields[1] == "U":
                undefined[file].add(fields[0])
    return defined, undefined


def call_graph(defined, undefined):
    """{caller: {callee: [symbols]}}"""
    home = {symbol: file for file, symbols in defined.items() for symbol in symbols}
    graph = {file: collections.defaultdict(list) for file in defined}
    for file, symbols in undefined.items():
        for symbol in sorted(symbols):
            if home.get(symbol, file) != file:
                graph[file][home[symbol]].append(symbol)
    return graph


def reachable(graph, start):
    """Every file that a call from start leads to, with the file before it on a shortest way."""
    before, queue = {}, collections.deque([start])
    while queue:
        file = queue.popleft()
        for callee in sorted(graph[file]):
            if callee not in before:
                before[callee] = file
                queue.append(callee)
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
    print(f"{len(component)} files call each other in a circle: {', '.join(component)}")
    way = way_round(graph, component)
    print("  a shortest way round:")
    for caller, callee in zip(way, way[1:]):
        print(f"    {caller} -> {callee}: {', '.join(graph[caller][callee])}")
    print("  every call inside:")
    for caller in component:
        for callee in component:
            if callee in graph[caller]:
                print(f"    {caller} -> {callee}: {', '.join(graph[caller][callee])}")


def without(graph, files):
    return {
        caller: {callee: symbols for callee, symbols in calls.items() if callee not in files}
        for caller, calls in graph.items()
        if caller not in files
    }


def main():
    parser = argparse.ArgumentParser(description="Finds circles of calls between the files of a target.")
    parser.add_argument("--nm", default="nm", help="the program that lists symbols")
    parser.add_argument("--allow", metavar="FILE", action="append", default=[],
                        help="a file that may be part of a circle for now")
    parser.add_argument("objects", metavar="OBJECT", nargs="+", help="an object file or a static library")
    args = parser.parse_args()

    defined, undefined = read_symbols(args.nm, args.objects)
    if not any(defined.values()):
        sys.exit("cycles.py: no function is defined here: was the target built, and without LTO?")
    graph = call_graph(defined, undefined)

    bad = False
    for file in args.allow:
        others = set(args.allow) - {file}
        if file not in graph:
            print(f"--allow {file}: there is no such file in this target")
            bad = True
        elif not any(file in component for component in circles(without(graph, others))):
            print(f"--allow {file}: it is not part of a circle any more: remove the permission")
            bad = True
    graph = without(graph, args.allow)
    for component in circles(graph):
        describe(graph, component)
        bad = True
    if not bad:
        calls = sum(len(callees) for callees in graph.values())
        print(f"{len(graph)} files, {calls} pairs of caller and callee, no circle")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
