"""The dashboard before axe-core and an HTML validator, in every state that its own tests come to.

Runs tests/e2e/test_dashboard*.py once more with axe-core in the page: each look of theirs, at three widths and
in both colour schemes, must be without a violation. Each look leaves the page's document as it stands then, too;
all of them, and the page as it is served, go before the validator. Skipped without a browser.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

NODE = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.join(HERE, "..", "e2e")
INDEX = os.path.join(os.environ["IOS_AGENT_SOURCE"], "src/server/dashboard/assets/index.html")
sys.path.insert(0, E2E)

import browser  # noqa: E402

# What a browser writes out, it writes in its own style; styles set by the object model come out as attributes.
RULES = {
    "root": True,
    "extends": ["html-validate:standard", "html-validate:a11y", "html-validate:document"],
    "rules": {"no-inline-style": "off", "long-title": "off", "no-trailing-whitespace": "off", "doctype-style": "off",
              "void-style": "off", "attribute-boolean-style": "off", "attribute-empty-style": "off",
              "no-implicit-button-type": "error", "element-case": "off", "attr-quotes": "off",
              "require-sri": ["error", {"target": "crossorigin"}], "aria-label-misuse": ["error", {"allowAnyNamable": True}],
              "prefer-native-element": ["error", {"exclude": ["listbox", "region"]}]},
}


def drive(test, folder):
    env = {**os.environ, "IOS_AGENT_AXE": os.path.join(NODE, "node_modules/axe-core/axe.min.js"),
           "IOS_AGENT_DOCUMENTS": folder}
    done = subprocess.run([sys.executable, "-B", test], env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 77):
        print(done.stdout[-6000:], done.stderr[-20000:])
    return done.returncode


def validate(folder):
    rules = os.path.join(folder, "rules.json")
    with open(rules, "w", encoding="utf-8") as f:
        json.dump(RULES, f)
    pages = sorted(glob.glob(os.path.join(folder, "*.html")))
    assert pages
    subprocess.run(["node", os.path.join(NODE, "node_modules/html-validate/bin/html-validate.mjs"),
                    "--config", rules, "--formatter", f"json={rules}.out", INDEX, *pages],
                   capture_output=True, text=True, timeout=300, check=False)
    with open(f"{rules}.out", encoding="utf-8") as f:
        found = {(os.path.basename(r["filePath"]), m["ruleId"], m["message"]) for r in json.load(f) for m in r["messages"]}
    for line in sorted(found):
        print(*line, sep=" | ")
    print(f"{len(pages) + 1} documents before the validator: {len(found)} errors")
    return len(found)


def main():
    browser.needed()
    with tempfile.TemporaryDirectory(prefix="ios-agent-dashboard-") as folder:
        bad = [os.path.basename(t) for t in sorted(glob.glob(os.path.join(E2E, "test_dashboard*.py"))) if drive(t, folder)]
        print(f"axe-core: violations or failures in {bad or 'none'}")
        return 1 if validate(folder) or bad else 0


sys.exit(main())
