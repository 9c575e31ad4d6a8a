"""How a fleet's members get to their server: TLS with an authority of its own, client certificates, NKeys, credentials; and a cluster of
servers of which one dies."""
import base64
import hashlib
import json
import os
import subprocess
import time

import fleet_case

# The pair that NATS' documentation shows.
NKEY = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"

# Of an NKey, by kind of its owner; of a seed.
PREFIXES = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
PREFIX_SEED = 18 << 3


def text32(data):
    return base64.b32encode(data).decode().rstrip("=")


def with_check(data):
    """An NKey: bytes and their CRC-16/XMODEM, in base 32."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return text32(data + crc.to_bytes(2, "little"))


class Identity:
    """An Ed25519 pair as an NKey, which signs the tokens (JWT) that credentials consist of."""

    def __init__(self, folder, kind):
        self.kind = kind
        self.path = os.path.join(folder, f"{kind}-{os.urandom(4).hex()}.key")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path], check=True)
        der = subprocess.run(["openssl", "pkey", "-in", self.path, "-outform", "DER"], check=True, capture_output=True).stdout
        public = subprocess.run(["openssl", "pkey", "-in", self.path, "-pubout", "-outform", "DER"], check=True,
                                capture_output=True).stdout
        prefix = PREFIXES[kind]
        self.name = with_check(bytes([prefix]) + public[-32:])
        self.seed = with_check(bytes([PREFIX_SEED | prefix >> 5, (prefix & 31) << 3]) + der[-32:])

    def token(self, subject, nats):
        claims = {"iat": int(time.time()), "iss": self.name, "name": subject.kind, "sub": subject.name,
                  "nats": {**nats, "type": subject.kind, "version": 2}}
        digest = hashlib.new("sha512_256", json.dumps(claims, separators=(",", ":")).encode()).digest()
        claims = {"jti": text32(digest), **claims}
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
                 for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims)]
        text = os.path.join(os.path.dirname(self.path), "token")
        with open(text, "w", encoding="utf-8") as f:
            f.write(".".join(parts))
        signed = subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", text], check=True,
                                capture_output=True).stdout
        return ".".join([*parts, base64.urlsafe_b64encode(signed).decode().rstrip("=")])


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

    def test_credentials(self):
        """A server that knows its operator alone: what a user may do stands in the user's token, which its account signed."""
        operator, account, system, user = (Identity(self.folder, kind) for kind in ("operator", "account", "account", "user"))
        any_number = {"subs": -1, "data": -1, "payload": -1}
        limits = {**any_number, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
        accounts = {account.name: operator.token(account, {"limits": {**limits, "mem_storage": -1, "disk_storage": -1, "streams": -1,
                                                                      "consumer": -1}}),
                    system.name: operator.token(system, {"limits": limits})}
        self.fleet(f"operator: {operator.token(operator, {'system_account': system.name})}\nsystem_account: {system.name}\n"
                   f"resolver: MEMORY\nresolver_preload: {json.dumps(accounts)}")
        creds = os.path.join(self.folder, "user.creds")
        with open(creds, "w", encoding="utf-8") as f:
            f.write(f"-----BEGIN NATS USER JWT-----\n{account.token(user, any_number)}\n------END NATS USER JWT------\n\n"
                    f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
        url = {"IOS_AGENT_FLEET_URL": self.server.url}
        self.refused(url)
        r = self.done({**url, "IOS_AGENT_FLEET_CREDS": creds})
        self.assertNotIn(user.seed, r.out + r.err)

    def test_cluster_of_three_goes_on_with_two(self):
        """Each message is on three servers; one of them is killed, that which the members are connected to first."""
        routes = [fleet_case.free_port() for _ in range(3)]
        servers = []
        for i, port in enumerate(routes):
            folder = os.path.join(self.folder, f"server-{i}")
            os.makedirs(folder)
            others = ", ".join(f'"nats://127.0.0.1:{other}"' for other in routes if other != port)
            servers.append(fleet_case.Server(
                folder, f"server_name: s{i}\ncluster {{ name: c, listen: \"127.0.0.1:{port}\", routes: [ {others} ] }}"))
            self.addCleanup(servers[-1].stop)
        self.server = servers[0]
        env = {"IOS_AGENT_FLEET_URL": self.server.url, "IOS_AGENT_FLEET_REPLICAS": "3"}
        self.until(lambda: self.run_agent("fleet", "status", env=env).code == 0)  # they have chosen who leads them
        self.worker("mac-1", "--device", "embedded:slow?faults=slow-tree:50", env=env)
        process = self.start_sweep(self.goals(12), env=env)
        self.until(lambda: self.count_verdicts(env) >= 3)
        self.assertIsNone(process.poll())
        self.server.kill()
        result = self.end_sweep(process)
        self.assertEqual([g["state"] for g in result["results"]], ["passed"] * 12)
        self.assertEqual(result["fleet"]["verdicts"], 12)
        self.until(lambda: self.count_verdicts({**env, "IOS_AGENT_FLEET_URL": servers[1].url}) == 12)

    def count_verdicts(self, env):
        r = self.run_agent("fleet", "status", "--json", env=env)
        return r.envelope()["result"]["verdicts"] if r.code == 0 else 0


if __name__ == "__main__":
    fleet_case.main()
