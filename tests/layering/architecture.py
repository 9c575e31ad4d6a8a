#!/usr/bin/env python3
"""architecture.py ROOT: what ARCHITECTURE.md and comments say of the tree is true.

- Every path in backticks that begins with a top folder exists.
- Every step "N. `file:name` ..." of its lists names something that the file defines, and that the
  file of an earlier step of the same list uses: by its name, or by the one after "called through".
  A name in a comment is not a use.
  A step that "gets it from" a function uses that function itself.
- Every folder under src/ with a CMake target of its own is named where its parent is described.
- Every "folder/file.h" (or other source, or document) in a comment under src/ or bridge-xcuitest/
  exists: below one of these two, below the comment's own folder, or below the root.
Prints what is wrong and exits 1 when there is anything.
"""
import os
import re
import sys

TOPS = ("src/", "bridge-xcuitest/", "tests/", "prompts/", "docs/", "bench/")
STEP = re.compile(r"^(\d+)\. `([^`:]+):(\w+)` ?(.*)$")
THROUGH = re.compile(r"called through `([^`]+)`")
FROM = re.compile(r"gets it from `([^`]+)`")
SOURCE_TOPS = ("src", "bridge-xcuitest")
SOURCES = (".h", ".c", ".m", ".cpp")
COMMENT = re.compile(r"""(/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
NAMED = re.compile(r"(?<![\w./<-])((?:[\w-]+/)+[\w-]+\.(?:h|c|m|cpp|py|sh|md))\b")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def defines(source, name):
    """True for a function that begins at a line's start, or a table of that name."""
    return re.search(rf"^[a-z][^;\n]*\b{name}(\(|\[\]| = )", source, re.M) is not None


def uses(source, name):
    code = COMMENT.sub(lambda found: " " if found.group(1) else found.group(0), source)
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None


def check_steps(root, lines):
    earlier = []
    for line in lines:
        step = STEP.match(line)
        if not step:
            earlier = [] if line.startswith("#") else earlier
            continue
        number, path, name, text = step.groups()
        if not os.path.exists(os.path.join(root, path)):
            yield f"{path}: no such file"
            continue
        source = read(root, path)
        if not defines(source, name):
            yield f"{path} does not define {name}"
        through, source_of = THROUGH.search(text), FROM.search(text)
        wanted = through.group(1) if through else name
        if source_of and not uses(source, source_of.group(1)):
            yield f"step {number}: {path} does not use {source_of.group(1)}"
        elif earlier and not source_of and not any(uses(other, wanted) for other in earlier):
            yield f"step {number}: no file of an earlier step uses {wanted}"
        earlier.append(source)


def check_paths(root, text):
    for path in re.findall(r"`([\w./-]+/[\w./-]*)`", text):
        if path.startswith(TOPS) and not os.path.exists(os.path.join(root, path)):
            yield f"{path}: no such file"


def paths_in_comments(source):
    """(line, path) for each path with a folder that a comment of the source names."""
    for comment in COMMENT.finditer(source):
        for path in NAMED.finditer(comment.group(1) or ""):
            yield source.count("\n", 0, comment.start() + path.start()) + 1, path.group(1)


def check_comments(root):
    for top in SOURCE_TOPS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(file for file in files if file.endswith(SOURCES)):
                here = os.path.relpath(os.path.join(folder, name), root)
                bases = [os.path.join(root, base) for base in SOURCE_TOPS] + [folder, root]
                for line, path in paths_in_comments(read(root, here)):
                    if not any(os.path.exists(os.path.join(base, path)) for base in bases):
                        yield f"{here}:{line}: {path}: no such file"


def modules(root):
    """The folder below src/ of every ia_module(...) there."""
    for folder, _, files in os.walk(os.path.join(root, "src")):
        if "CMakeLists.txt" in files:
            lists = read(root, os.path.join(os.path.relpath(folder, root), "CMakeLists.txt"))
            yield from re.findall(r"^ *ia_module\(\S+ DIR ([\w/-]+)", lists, re.M)


def part_about(folder, text):
    """The section of a folder directly below src/, or the bullet of a deeper one in its parent's."""
    parent, _, name = folder.rpartition("/")
    begin = rf"^- `{name}/`" if parent else rf"^### src/{name}$"
    scope = part_about(parent, text) if parent else text
    found = re.search(begin + (r"(?:.|\n(?!- |\n))*" if parent else r"(?:.|\n(?!##))*"), scope, re.M)
    return found.group(0) if found else ""


def named(folder, text):
    """A folder below src/ has a section; a deeper one is in its parent's part as `name/`, or in a
    bullet of the parent's as a word. The name alone, of another folder perhaps, is not enough."""
    parent, _, name = folder.rpartition("/")
    if not parent:
        return part_about(folder, text) != ""
    about = part_about(parent, text)
    word = rf"\b{name}\b" if "/" in parent else rf"(?<![\w/]){name}/"
    return re.search(word, about) is not None


def check_folders(root, text):
    for folder in sorted(set(modules(root))):
        if not named(folder, text):
            yield f"src/{folder} is not named in the part about its parent"


def main():
    root = sys.argv[1]
    text = read(root, "ARCHITECTURE.md")
    steps = [line for line in text.split("\n") if STEP.match(line)]
    wrong = list(check_steps(root, text.split("\n")))
    wrong += check_paths(root, text)
    wrong += check_folders(root, text)
    if len(steps) < 10:
        wrong.append(f"only {len(steps)} steps found")
    wrong = [f"ARCHITECTURE.md: {line}" for line in wrong] + list(check_comments(root))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
