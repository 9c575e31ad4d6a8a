"""One call: which tool, which rule, which answer."""
import importlib
import os
import signal
import sys

from fakexcode import grammar
from fakexcode.world import Answer, World, error_row

# xcrun's own options before a tool, each with how many values it takes.
BEFORE = {"--sdk": 1, "--toolchain": 1, "--no-cache": 0, "--run": 0, "-r": 0}


def split(argv):
    """xcrun's own options, and the rest."""
    i = 0
    while i < len(argv) and argv[i] in BEFORE:
        i += 1 + BEFORE[argv[i]]
    return argv[:i], argv[i:]


def module_of(tool):
    try:
        return importlib.import_module("fakexcode." + tool.replace("-", "_").replace("++", "pp"))
    except ModuleNotFoundError:
        return None


def no_xcode(world, tool):
    """What xcrun says where Xcode is missing, or None."""
    xcode = world.setup.get("xcode", "26.2")
    if xcode == "broken":
        return error_row("xcrun without Xcode")
    if xcode is None and tool == "simctl":
        return error_row("xcrun CLT only")
    if xcode is None and tool == "xcodebuild":
        return Answer(
            "",
            "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory "
            "'/Library/Developer/CommandLineTools' is a command line tools instance\n",
            1,
        )
    return None


def by_plan(plan):
    if "row" in plan:
        return error_row(plan["row"])
    return Answer(plan.get("stdout", ""), plan.get("stderr", ""), plan.get("exit", 0))


def perform(world, module, tool, argv):
    for pattern, handler in module.RULES:
        args = grammar.match(pattern, argv, module.TYPES)
        if args:
            return handler(world, args)
    return world.violation(tool, argv)


def known(module, argv):
    return any(grammar.match(p, argv, module.TYPES) for p, _ in module.RULES)


def answer(world, tool, argv):
    module = module_of(tool)
    if module is None:
        return world.violation(tool, argv)
    missing = no_xcode(world, tool)
    if missing:
        return missing
    plan = world.planned(argv)
    if plan is None:
        return perform(world, module, tool, argv)
    if not known(module, argv):
        return world.violation(tool, argv)
    if plan.get("also_do"):
        perform(world, module, tool, argv)
    if plan.get("hang"):
        return hang
    return by_plan(plan)


def hang():
    while True:
        signal.pause()


def main(name, argv):
    """Runs one call and returns its exit status."""
    options, rest = split(argv) if name == "xcrun" else ([], [name, *argv])
    # Without a tool the words are questions to xcrun itself (module xcrun).
    tool = rest[0] if rest and not rest[0].startswith("-") else "xcrun"
    args = rest[1:] if tool != "xcrun" else argv
    world = World(os.environ["FAKE_XCODE"])
    reads_stdin = getattr(module_of(tool), "READS_STDIN", ())
    stdin = sys.stdin.read() if args and args[0] in reads_stdin else None
    world.stdin = stdin
    world.sdk = options[options.index("--sdk") + 1] if "--sdk" in options else None
    world.log(tool, args, stdin)
    result = answer(world, tool, args)
    world.save()
    world.close()
    if callable(result):  # goes on after the state is written: waits for a signal, say
        result = result()
    if isinstance(result.out, bytes):
        sys.stdout.buffer.write(result.out)
    else:
        sys.stdout.write(result.out)
    sys.stdout.flush()
    sys.stderr.write(result.err)
    return result.code


