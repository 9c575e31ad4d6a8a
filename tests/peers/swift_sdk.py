"""sdk/IOSAgent.swift, read by tree-sitter's grammar of Swift, as there is no compiler for it here.

usage: swift_sdk.py BUILD_DIR. The packages are pinned, and are installed into BUILD_DIR on the first run; without pip or
its index the test is skipped (exit status 77). Beside the grammar: what a release build has is called as in a debug build,
and the limits and words are those of IOSAgent.h and of the reader.
"""
import os
import pathlib
import re
import subprocess
import sys

import pypi

PACKAGES = ["tree-sitter==0.26.1", "tree-sitter-swift==0.7.4"]
SOURCE = pathlib.Path(os.environ["IOS_AGENT_SOURCE"])
PARSE = """
import sys, tree_sitter, tree_sitter_swift
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_swift.language()))
def mistakes(node):
    here = [node.start_point[0] + 1] if node.type == "ERROR" or node.is_missing else []
    return here + [line for child in node.children for line in mistakes(child)]
print(mistakes(parser.parse(sys.stdin.buffer.read()).root_node))
"""


def mistakes(python, text):
    done = subprocess.run([python, "-c", PARSE], input=text.encode(), capture_output=True, timeout=60, check=True)
    return done.stdout.decode().strip()


def check(holds, what):
    if not holds:
        sys.exit(f"swift_sdk: {what}")


def main():
    python = pypi.install(pathlib.Path(sys.argv[1]) / "swift-sdk", *PACKAGES)
    swift = (SOURCE / "sdk/IOSAgent.swift").read_text(encoding="utf-8")
    header = (SOURCE / "sdk/IOSAgent.h").read_text(encoding="utf-8")
    reader = "".join((SOURCE / p).read_text(encoding="utf-8")
                     for p in ("src/agent/goal/app_state.h", "src/driver/app_sdk.h"))
    app = (SOURCE / "tests/sdk/App.swift").read_text(encoding="utf-8")
    check(mistakes(python, app) == "[]", f"App.swift: mistakes in lines {mistakes(python, app)}")
    check(mistakes(python, swift) == "[]", f"mistakes in lines {mistakes(python, swift)}")
    for old, new in (("func start() {", "func start( {"), ("guard let front", "guard front let"), ("-> String {", "-> String { {")):
        check(old in swift and mistakes(python, swift.replace(old, new, 1)) != "[]", f"a planted mistake is not found: {new}")

    debug, release = re.split(r"^#else$", swift, maxsplit=1, flags=re.M)
    names = r"public (?:static )?(?:func|enum) (\w+)"
    check(re.findall(names, debug) == re.findall(names, release) == ["IOSAgent", "start", "IOSAgentState", "set", "provide",
                                                                    "iosAgentID"], "a release build has other calls")
    before = re.sub(r"//.*|import \w+|#if canImport\(\w+\)|#endif|\s", "", debug.split("#if DEBUG\n")[0])
    check(before == "" and swift.endswith("#endif\n"), "something stands outside of #if DEBUG and its #else")

    limits = [("nameMax", "IOSAgentNameMax", "IA_APP_STATE_NAME_MAX"), ("valueMax", "IOSAgentValueMax", "IA_APP_STATE_VALUE_MAX"),
              ("valuesMax", "IOSAgentValuesMax", "IA_APP_STATE_VALUES_MAX"),
              ("bytesMax", "IOSAgentStateBytesMax", "IA_APP_STATE_BYTES_MAX"),
              ("envelopeBytes", "IOSAgentEnvelopeBytes", None), ("depthMax", "IOSAgentDepthMax", None),
              ("viewsMax", "IOSAgentViewsMax", None), ("hashCharacters", "HASH_CHARACTERS", None),
              ("identifierMax", "IOSAgentIdentifierMax", "IA_SDK_IDENTIFIER_MAX")]
    for in_swift, in_header, in_reader in limits:
        values = {re.search(rf"\b{name}\b = (\d+)", text).group(1)
                  for name, text in ((in_swift, swift), (in_header, header), (in_reader, reader)) if name}
        check(len(values) == 1, f"{in_swift}, {in_header} and {in_reader} differ: {values}")
    for word in ("ios-agent.state", "ia~"):
        check(all(f'"{word}"' in text for text in (swift, header, reader)), f"{word} is not the same in all files")
    print("IOSAgent.swift: the grammar takes it; its calls, limits and words are those of IOSAgent.h")


main()
