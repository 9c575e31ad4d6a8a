"""How a fleet's members get to their server: TLS with an authority of its own, client certificates, NKeys."""
import os
import subprocess

import fleet_case

# The pair that NATS' documentation shows.
NKEY = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"


class Access(fleet_case.FleetCase):
    def certificate(self, name):
        paths = [os.path.join(self.folder, f"{name}.{end}") for end in ("pem", "key")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
             "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
            check=True, capture_output=True)
        return paths

    def done(self, env):
        """A sweep by one worker, both with that environment."""
        worker = fleet_case.Worker(self, "mac-1", "", env=env)
        self.addCleanup(worker.close)
        worker.start()
        r = self.run_agent("sweep", self.goals(2), "--fleet", "", "--demo", "--json", env=env)
        self.assertEqual(r.code, 0, r)
        self.assertEqual(worker.stop(), 0)
        return r

    def refused(self, env):
        r = self.run_agent("fleet", "status", "--json", env=env)
        self.assertEqual((r.code, r.envelope()["error"]["code"]), (3, "AUTH"), r)
        return r

    def test_tls_with_an_authority_of_its_own_and_client_certificates(self):
        cert, key = self.certificate("server")
        client, client_key = self.certificate("client")
        self.fleet(f'tls {{ cert_file: "{cert}", key_file: "{key}", ca_file: "{client}", verify: true }}')
        url = {"IOS_AGENT_FLEET_URL": f"tls://localhost:{self.server.port}"}
        ca = {**url, "IOS_AGENT_FLEET_CA": cert}
        self.refused(url)
        self.refused({**url, "IOS_AGENT_FLEET_CA": client})
        self.done({**ca, "IOS_AGENT_FLEET_CERT": client, "IOS_AGENT_FLEET_CERT_KEY": client_key})

    def test_nkey(self):
        self.fleet(f"authorization {{ users = [ {{ nkey: {NKEY} }} ] }}")
        seed = os.path.join(self.folder, "user.nk")
        with open(seed, "w", encoding="utf-8") as f:
            f.write(SEED + "\n")
        with open(seed + ".pub", "w", encoding="utf-8") as f:
            f.write(NKEY + "\n")
        url = {"IOS_AGENT_FLEET_URL": self.server.url}
        self.refused(url)
        r = self.done({**url, "IOS_AGENT_FLEET_NKEY": seed})
        self.assertNotIn(SEED, r.out + r.err)
        for home, _, files in os.walk(self.folder):
            for name in files:
                if name != "user.nk":
                    with open(os.path.join(home, name), "rb") as f:
                        self.assertNotIn(SEED.encode(), f.read(), name)


if __name__ == "__main__":
    fleet_case.main()
