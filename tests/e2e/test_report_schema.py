"""Reports by their schemas. Skipped where Python has no jsonschema."""
import json
import os
import sys
import unittest

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
