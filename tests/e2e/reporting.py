"""What the tests of reports share: runs with pictures, sweeps that nobody ran, reports of them."""
import os
import subprocess

from harness import ADA, Case

MAKE_SAMPLE = os.environ["IOS_AGENT_MAKE_SAMPLE"]
ARTEFACTS = os.environ["IOS_AGENT_ARTEFACTS"]


class ReportCase(Case):
    def ada(self, *more):
        """A run with pictures; returns its id."""
        result = self.run_agent("run", "--demo", "--pictures", "steps", "--json", *more, ADA)
        return result.envelope()["result"]["run"]

    def shas(self, run):
        events = self.run_agent("show", run, "--json").envelope()["result"]["events"]
        return [e["image"] for e in events if e["event"] == "picture"]

    def sample(self, goals, steps, *shas):
        done = subprocess.run(
            [MAKE_SAMPLE, self.home, str(goals), str(steps), *shas],
            env=self.env(), capture_output=True, text=True, check=True, timeout=120,
        )
        return done.stdout.strip()

    def report(self, run, *args, env=None):
        result = self.run_agent("report", run, *args, env=env)
        self.assertEqual(result.code, 0, result)
        return result

    def path(self, name):
        return os.path.join(self.folder, name)
