"""The dashboard before an HTML validator, in every state that its own tests come to.

usage: dashboard_pages.py NODE DOCUMENTS. tests/e2e/test_dashboard*.py, which run before, put each of their looks
before axe-core and leave the page's document as it stands then; all of them, and the page as it is served, go
before the validator. Skipped without a browser.
"""
import glob
import json
import os
import subprocess
import sys

NODE, DOCUMENTS = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
INDEX = os.path.join(os.environ["IOS_AGENT_SOURCE"], "src/server/dashboard/assets/index.html")
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

import browser  # noqa: E402

STATES = 97  # which the tests leave a document of, at least

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


def validate(folder):
    rules = os.path.join(folder, "rules.json")
    with open(rules, "w", encoding="utf-8") as f:
        json.dump(RULES, f)
    pages = sorted(glob.glob(os.path.join(folder, "*.html")))
    assert len(pages) >= STATES, pages
    subprocess.run(["node", os.path.join(NODE, "node_modules/html-validate/bin/html-validate.mjs"),
                    "--config", rules, "--formatter", f"json={rules}.out", INDEX, *pages],
                   capture_output=True, text=True, timeout=300, check=False)
    with open(f"{rules}.out", encoding="utf-8") as f:
        found = {(os.path.basename(r["filePath"]), m["ruleId"], m["message"]) for r in json.load(f) for m in r["messages"]}
    for line in sorted(found):
        print(*line, sep=" | ")
    print(f"{len(pages) + 1} documents before the validator: {len(found)} errors")
    return len(found)


browser.needed()
assert os.path.exists(os.path.join(NODE, "node_modules/axe-core/axe.min.js"))
sys.exit(1 if validate(DOCUMENTS) else 0)
