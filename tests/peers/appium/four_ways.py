"""The sample goals through a real Appium server end as on the phone itself and leave the same log (tests/e2e/test_four_ways.py
has the other ways)."""
import json
import os
import pathlib
import sys
import unittest

from servers import CAPABILITIES, Appium

SOURCE = pathlib.Path(__file__).resolve().parents[3]
os.environ.setdefault("IOS_AGENT_SOURCE", str(SOURCE))
os.environ.setdefault("IOS_AGENT_SANITIZER", "")
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
from test_four_ways import Ways  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()


class ThroughAppium(Ways):
    def appium(self, i, path):
        server, port = self.serve(f"appium{i}", "--protocol", "wda")
        capabilities = {k: v for k, v in CAPABILITIES.items() if k != "appium:udid"}
        # The driver refuses a second session on one phone.
        capabilities["appium:udid"] = f"00008110-{i:016X}"
        capabilities["appium:webDriverAgentUrl"] = f"http://127.0.0.1:{port}"
        caps = os.path.join(self.folder, f"caps{i}.json")
        with open(caps, "w", encoding="ascii") as f:
            json.dump(capabilities, f)
        found = self.result(path, f"appium:127.0.0.1:{self.server.port}", f"appium{i}",
                            IOS_AGENT_APPIUM_CAPS=caps)
        self.end(server)
        return found

    def test_the_sample_goals_end_alike_through_appium(self):
        with Appium(BUILD) as self.server:
            self.compare(self.appium)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
