"""HTTPS: a server is trusted by the CA bundle that is configured, and by no other."""
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import unittest

from harness import ADA, SOURCE, Case

sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from relay import relay


class Terminator:
    """Speaks TLS on a port of its own and passes what it hears on to a plain server."""

    def __init__(self, certificate, key, port):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.target = ("127.0.0.1", port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://localhost:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        try:
            client = self.context.wrap_socket(plain, server_side=True)
        except (OSError, ssl.SSLError):
            plain.close()
            return
        server = socket.create_connection(self.target)
        relay(client, server)
        client.close()
        server.close()

    def close(self):
        self.listener.close()


class Tls(Case):
    def setUp(self):
        super().setUp()
        double = self.double()
        self.own, key = self.certificate("own")
        self.other, _ = self.certificate("other")
        self.server = Terminator(self.own, key, int(double.url.rsplit(":", 1)[1]))
        self.addCleanup(self.server.close)

    def certificate(self, name):
        """A certificate for this machine that signs itself, and its key."""
        paths = [os.path.join(self.folder, f"{name}.{end}") for end in ("pem", "key")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
             "-out", paths[0], "-keyout", paths[1]],
            check=True, capture_output=True)
        return paths

    def env_with(self, bundle):
        return {"ANTHROPIC_BASE_URL": self.server.url, "ANTHROPIC_API_KEY": "k",
                "IOS_AGENT_API_CA_BUNDLE": bundle}

    def test_the_configured_bundle_is_trusted(self):
        result = self.run_agent("run", ADA, env=self.env_with(self.own))
        self.assertEqual(result.code, 0, result)

    def test_a_server_of_another_authority_is_refused(self):
        for bundle in (self.other, None):
            with self.subTest(bundle):
                envelope = self.check_error(
                    ["run", "x"], 6, "API_NETWORK", "is not trusted", "api.ca_bundle",
                    env=self.env_with(bundle))
                self.assertEqual(envelope["result"]["steps"], 0)

    def test_a_bundle_that_is_none_is_named(self):
        path = os.path.join(self.folder, "nowhere.pem")
        result = self.run_agent("run", "x", env=self.env_with(path))
        self.assertIn(result.code, (2, 3, 6), result)
        self.assertIn("nowhere.pem", result.out + result.err)


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: the command openssl is not there")
        sys.exit(77)
    unittest.main()
