"""Patterns of command lines, and whether an argv meets one."""
import re

TOKEN = re.compile(r"\[|\]|\{|\}|\||<[a-z-]+>\.\.\.|[^\s\[\]{}|]+")


def parse(pattern):
    """A pattern as a tree: ("seq", [...]), ("opt", alternatives), ("any", alternatives), ("word", text)."""
    tokens = TOKEN.findall(pattern)
    tree, rest = _alternatives(tokens)
    assert not rest, f"unbalanced pattern: {pattern}"
    assert len(tree) == 1, f"alternatives outside brackets: {pattern}"
    return tree[0]


def _alternatives(tokens):
    found, seq = [], []
    while tokens and tokens[0] not in ("]", "}"):
        token, tokens = tokens[0], tokens[1:]
        if token == "|":
            found.append(("seq", seq))
            seq = []
        elif token in ("[", "{"):
            inner, tokens = _alternatives(tokens)
            assert tokens, "a bracket is open"
            tokens = tokens[1:]
            seq.append(("opt" if token == "[" else "any", inner))
        else:
            seq.append(("word", token))
    return found + [("seq", seq)], tokens


def _word(text, arg, types):
    """The binding that a word of the pattern makes with an argument, or None."""
    before, bracket, after = text.partition("<")
    if not bracket:
        return {} if arg == text else None
    name = after.rstrip(".").rstrip(">")
    if not arg.startswith(before):
        return None
    value = arg[len(before):]
    return {name: value} if types[name](value) else None


def _match(node, argv, at, types):
    """Yields (position behind, bindings as a list of pairs) for each way to meet the node."""
    kind, what = node
    if kind == "word":
        if what.endswith("..."):
            yield from _many(what, argv, at, types)
        elif at < len(argv):
            bound = _word(what, argv[at], types)
            if bound is not None:
                yield at + 1, list(bound.items())
    elif kind == "seq":
        yield from _seq(what, argv, at, types)
    elif kind == "opt":
        for one in what:
            yield from _match(one, argv, at, types)
        yield at, []
    else:
        yield from _any(what, argv, at, types, need=True)


def _seq(nodes, argv, at, types):
    if not nodes:
        yield at, []
        return
    for behind, bound in _match(nodes[0], argv, at, types):
        for end, more in _seq(nodes[1:], argv, behind, types):
            yield end, bound + more


def _many(text, argv, at, types):
    bound = []
    ways = []
    while at < len(argv):
        one = _word(text, argv[at], types)
        if one is None:
            break
        bound = bound + list(one.items())
        at += 1
        ways.append((at, bound))
    yield from reversed(ways)


def _any(nodes, argv, at, types, need):
    for i, node in enumerate(nodes):
        for behind, bound in _match(node, argv, at, types):
            if behind > at:
                rest = nodes[:i] + nodes[i + 1:]
                flag = [("option", argv[at])]
                for end, more in _any(rest, argv, behind, types, need=False):
                    yield end, flag + bound + more
    if not need:
        yield at, []


class Args:
    """What the words of a pattern were bound to."""

    def __init__(self, argv, pairs):
        self.argv = argv
        self.pairs = pairs

    def one(self, name, default=None):
        return next((v for k, v in self.pairs if k == name), default)

    def all(self, name):
        return [v for k, v in self.pairs if k == name]

    def has(self, word):
        return word in self.argv


def match(pattern, argv, types):
    """The Args when the whole argv meets the pattern, else None."""
    for end, pairs in _match(parse(pattern), argv, 0, types):
        if end == len(argv):
            return Args(argv, pairs)
    return None
