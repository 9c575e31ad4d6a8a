"""Reports by their schemas. Skipped where Python has no jsonschema."""
import json
import os
import sys
import unittest

import eval_models
from harness import SOURCE
from reporting import ReportCase

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (script/bootstrap has it on Debian)")
    sys.exit(77)

SCHEMA = os.path.join(SOURCE, "tests", "data", "report", "ctrf-schema-0.0.json")


class Schemas(ReportCase):
    def test_ctrf_is_valid_by_its_schema(self):
        with open(SCHEMA, encoding="utf-8") as f:
            schema = json.load(f)
        for run in (self.ada(), self.sample(12, 2)):
            report = json.loads(self.report(run, "--format", "ctrf").out)
            jsonschema.Draft7Validator(schema).validate(report)

    def test_own_json_is_valid_by_its_schema(self):
        with open(os.path.join(SOURCE, "docs", "report.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        jsonschema.Draft7Validator.check_schema(schema)
        for run in (self.ada(), self.sample(12, 2)):
            report = json.loads(self.report(run, "--format", "json").out)
            jsonschema.Draft7Validator(schema).validate(report)

    def test_evaluations_are_valid_by_their_schema_which_knows_every_member(self):
        with open(os.path.join(SOURCE, "docs", "eval.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        jsonschema.Draft7Validator.check_schema(schema)
        lazy = eval_models.lazy()
        double = self.script(*lazy["turns"], default=lazy["default"])
        priced = {"env": self.claude(double)}
        told = [self.run_agent("eval", "--json", "--tag", "shop", *args, **how).envelope()["result"]
                for args, how in ((("--demo", "--seeds", "2", "--report-dir", "report"), {}), ((), priced))]
        double.stop()
        with open(os.path.join(self.folder, "report", "eval.json"), encoding="utf-8") as f:
            told.append(json.load(f))
        told.append(self.run_agent("eval", "show", told[0]["eval"], "--json").envelope()["result"])
        told.append(self.run_agent("eval", "compare", told[0]["eval"], told[1]["eval"], "--json").envelope()["result"])
        self.assertGreater(told[1]["cost_usd"], 0)
        self.assertGreater(len(told[4]["differently"]), 0)
        for one in told:
            jsonschema.Draft7Validator(schema).validate(one)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.Draft7Validator(schema).validate({**one, "more": 1})


if __name__ == "__main__":
    unittest.main(verbosity=2)
