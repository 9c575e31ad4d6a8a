"""The packages as their users meet them: installed in a clean Debian, removed again, run from where they are unpacked; and made twice
from one commit in two places, byte for byte the same."""
import glob
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pypi

SOURCE = os.environ["IOS_AGENT_SOURCE"]
GOAL = "open Contacts, add a contact named Ada Lovelace with phone 555-0100, check that Ada Lovelace is in the list"
# What runs in the root sees its own processes alone.
INSIDE = ["unshare", "--mount", "--pid", "--fork"]


def run(*args, **more):
    done = subprocess.run(args, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{args}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def copy_tree(to):
    """A clone with what is not committed yet, so that a change is tested before its commit."""
    run("git", "clone", "-q", "--shared", SOURCE, to)
    changed = run("git", "-C", SOURCE, "ls-files", "-mo", "--exclude-standard", "-z").split("\0")
    for name in filter(None, changed):
        os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
        shutil.copy2(os.path.join(SOURCE, name), os.path.join(to, name))


def package(folder, ccache):
    env = dict(os.environ, SOURCE_DATE_EPOCH="1767225600")
    if not ccache:
        env["CCACHE_DISABLE"] = "1"
    run(os.path.join(folder, "script", "package"), os.path.join(folder, "out"), env=env)
    return os.path.join(folder, "out")


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="ios-agent-package-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        one = os.path.join(cls.folder, "one")
        copy_tree(one)
        cls.out = package(one, ccache=True)

    def file(self, pattern):
        found = glob.glob(os.path.join(self.out, pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {os.listdir(self.out)}")
        return found[0]

    def test_two_builds_in_two_places_have_the_same_bytes(self):
        two = os.path.join(self.folder, "another", "place", "with-a-longer-name")
        copy_tree(two)
        again = package(two, ccache=False)
        self.assertGreaterEqual(len(os.listdir(again)), 4)
        for name in sorted(os.listdir(again)):
            with open(os.path.join(self.out, name), "rb") as a, open(os.path.join(again, name), "rb") as b:
                self.assertEqual(hashlib.sha256(a.read()).hexdigest(), hashlib.sha256(b.read()).hexdigest(), name)

    def test_the_sums_are_of_the_files(self):
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.out)

    def test_no_path_of_the_build_is_inside(self):
        with open(os.path.join(self.folder, "one", "build/release/src/cli/ios-agent"), "rb") as program:
            self.assertNotIn(self.folder.encode(), program.read())

    def test_debian_accepts_the_package(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not here")
        run("lintian", "--allow-root", "--fail-on", "error,warning", self.file("*.deb"))

    def test_the_bill_of_materials_is_valid(self):
        """By the tools of SPDX."""
        folder = pathlib.Path(os.environ["IOS_AGENT_BUILD"], "tests", "packaging", "spdx")
        try:
            python = pypi.install(folder, "spdx-tools==0.8.5")
        except SystemExit:
            self.skipTest("spdx-tools could not be installed")
        run(str(python.parent / "pyspdxtools"), "-i", self.file("*.spdx.json"))
        broken = os.path.join(self.folder, "broken.spdx.json")
        with open(self.file("*.spdx.json"), encoding="utf-8") as file, open(broken, "w", encoding="utf-8") as out:
            out.write(file.read().replace("SPDXRef-sqlite", "SPDXRef-other", 1))
        with self.assertRaises(AssertionError):
            run(str(python.parent / "pyspdxtools"), "-i", broken)

    def test_the_bill_of_materials_names_every_library_that_the_build_asks_for(self):
        with open(self.file("*.spdx.json"), encoding="utf-8") as file:
            bill = json.load(file)
        names = {p["name"]: p for p in bill["packages"]}
        with open(os.path.join(SOURCE, "packaging/components.tsv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.assertEqual(set(names), {"ios-agent"} | {row[0] for row in rows})
        self.assertTrue(all(p["versionInfo"] for p in names.values()))
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            text = file.read()
        asked = text.split("foreach(pkg IN ITEMS libcurl", 1)[1].split(")", 1)[0].split()
        self.assertEqual({"libcurl", *asked}, {row[1] for row in rows} - {"-"})


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("mmdebstrap"), "needs root and mmdebstrap")
class Installed(Packages):
    """In a Debian that has nothing but apt."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.root = os.path.join(cls.folder, "root")
        # The lists stay, so that apt resolves what the package depends on.
        run("mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt", "bookworm", cls.root)
        cls.base = os.path.join(cls.folder, "base.tar")
        if shutil.which("buildah"):
            run("tar", "-C", cls.root, "--one-file-system", "-cf", cls.base, ".")

    def inside(self, command):
        return run(*INSIDE, f"--mount-proc={self.root}/proc", "chroot", self.root, "sh", "-ec", command,
                   env={"PATH": os.environ["PATH"], "HOME": "/var/tmp", "LC_ALL": "C.UTF-8",
                        **{k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}})

    def test_the_image_of_the_recipe_runs_a_goal_and_reads_pictures(self):
        """On the same clean Debian in place of the base image, as no registry is asked here."""
        if not shutil.which("buildah"):
            self.skipTest("buildah is not here")
        env = dict(os.environ, STORAGE_DRIVER="vfs", BUILDAH_ISOLATION="chroot")
        store = os.path.join(self.folder, "images")

        def buildah(*args):
            return run("buildah", "--root", f"{store}/root", "--runroot", f"{store}/run", *args, env=env)

        base = buildah("from", "scratch").strip()
        buildah("add", "--quiet", base, self.base, "/")
        recipe = os.path.join(SOURCE, "packaging", "Containerfile")
        with open(recipe, encoding="utf-8") as file:
            name = next(line.split()[1] for line in file if line.startswith("FROM "))
        buildah("commit", "--quiet", base, name)
        buildah("bud", "--pull-never", "--tag", "ios-agent", "--file", recipe, self.out)
        config = json.loads(buildah("inspect", "--type", "image", "ios-agent"))["OCIv1"]["config"]
        self.assertEqual((config["User"], config["Cmd"]), ("agent", ["help"]))
        box = buildah("from", "--pull-never", "ios-agent").strip()

        def agent(*args):
            return buildah("run", box, "--", *config["Entrypoint"], *args)

        self.assertIn("Usage: ios-agent COMMAND", agent(*config["Cmd"]))
        self.assertEqual(json.loads(agent("run", "--json", GOAL))["result"]["state"], "passed")
        self.assertNotIn("FAIL", agent("doctor"))
        read = buildah("run", box, "--", "sh", "-c", "ios-agent run 'open Settings' --expect 'picture text \"Unicorn\"' || true")
        self.assertIn("neither the screen nor the text on its picture has it", read)
        buildah("rm", "--all")
        buildah("rmi", "--all", "--force")

    def install(self, deb):
        self.inside("DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "
                    f"{deb} >/tmp/log 2>&1 || {{ cat /tmp/log; exit 1; }}")

    def version(self):
        return self.inside("dpkg-query -W -f '${Version}' ios-agent")

    def test_an_upgrade_keeps_the_home(self):
        """From the same package under a lower version, as if that had been released before."""
        shutil.copy(self.file("*.deb"), os.path.join(self.root, "tmp", "new.deb"))
        self.inside("cd /tmp && dpkg-deb -R new.deb old && sed -i 's/^Version: .*/Version: 0.0.1/' old/DEBIAN/control"
                    " && dpkg-deb -b -Znone old old.deb >/dev/null")
        self.install("/tmp/old.deb")
        self.assertEqual(self.version(), "0.0.1")
        self.passes("/usr/bin/ios-agent")
        self.inside("echo sk-ant-of-this-test | ios-agent key set")
        files = "cd /var/tmp/.local/share/ios-agent && find . -type f -print0 | sort -z | xargs -0 sha256sum"
        before = self.inside(files)
        self.assertIn("ios-agent.db", before)
        self.install("/tmp/new.deb")
        self.assertNotEqual(self.version(), "0.0.1")
        self.assertEqual(self.inside(files), before)
        runs = json.loads(self.inside("ios-agent runs --json"))["result"]["runs"]
        self.assertEqual([run["state"] for run in runs], ["passed"])
        self.assertIn("PASSED", self.inside(f"ios-agent show {runs[0]['id']}"))
        self.assertIn("sealed with a key file", self.inside("ios-agent key status"))
        self.inside("dpkg --purge ios-agent >/dev/null; rm -r /tmp/old /tmp/*.deb")
        self.assertEqual(self.inside(files).count("ios-agent.db"), 1)
        self.inside("rm -r /var/tmp/.local")

    def test_it_installs_runs_a_goal_and_is_removed_without_a_trace(self):
        shutil.copy(self.file("*.deb"), os.path.join(self.root, "tmp"))
        self.install("/tmp/*.deb")
        self.passes("/usr/bin/ios-agent")
        self.assertNotIn("FAIL", self.inside("ios-agent doctor"))
        self.assertIn("complete -F", self.inside("cat /usr/share/bash-completion/completions/ios-agent"))
        owned = [f for f in self.inside("dpkg -L ios-agent").splitlines() if "ios-agent" in f]
        self.assertIn("/usr/bin/ios-agent", owned)
        self.inside("dpkg --purge ios-agent >/dev/null")
        self.assertEqual([f for f in owned if os.path.lexists(self.root + f)], [])

    def test_the_tarball_runs_where_it_is_unpacked(self):
        """Beside the libraries that the Debian package asks for, which a tarball cannot bring."""
        shutil.copy(self.file("*.tar.gz"), os.path.join(self.root, "tmp"))
        self.inside("apt-get install -y -qq --no-install-recommends libcurl4 libmicrohttpd12 libcairo2 libxml2 libglib2.0-0"
                    " >/dev/null 2>&1; mkdir -p /opt/here && tar -xzf /tmp/*.tar.gz -C /opt/here --strip-components=1")
        self.passes("/opt/here/bin/ios-agent")
        self.assertIn("MIT License", self.inside("cat /opt/here/share/doc/ios-agent/LICENSE"))
        self.assertIn("sqlite", self.inside("ls /opt/here/share/doc/ios-agent/third-party"))

    def passes(self, program):
        self.assertRegex(self.inside(f"{program} version"), r"^ios-agent \d+\.\d+\.\d+")
        result = json.loads(self.inside(f"{program} run --json --fresh '{GOAL}'"))
        self.assertEqual(result["result"]["state"], "passed")


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[1:] or ["Installed"]
    unittest.main()
