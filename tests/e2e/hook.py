"""A webhook for tests of notices."""
import http.server
import json
import threading

SECRET = "t0kenT0ken"


class Hook:
    """A webhook on loopback that keeps what it gets."""

    def __init__(self, *statuses):
        hook = self
        self.got, self.statuses = [], list(statuses)
        self.arrived = threading.Semaphore(0)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.got.append((self.path, self.headers["Content-Type"], json.loads(body)))
                self.send_response(hook.statuses.pop(0) if hook.statuses else 204)
                self.end_headers()
                hook.arrived.release()

            def log_message(self, *args):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook/{SECRET}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
