"""A model for many runs at once, over the Messages API as the service speaks it (SSE).

A goal's text ends with "(case N)", which says whose turn it is. The actor follows a plan
(lying_plans.py) by what the last whole screen shows, and then says `passed`, again and again. The
verifier either agrees always, or looks at the phone and at the last screen it was given.
"""
import http.server
import json
import re
import threading

SCREEN = re.compile(r"<screen ([^>]+)>\n(.*?)\n?</screen \1>", re.S)
HEADER = re.compile(r"^\S+ \d+x\d+ #[0-9a-f]{4}")
LINE = re.compile(r"^(\d+) ([a-z-]+)((?::[a-z,]+)?) (.*)$")
CASE = re.compile(r"\(case (\d+)\)")


def texts(message):
    """All texts of a message, in order."""
    content = message["content"]
    for block in [content] if isinstance(content, str) else content:
        if isinstance(block, str):
            yield block
        elif block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            yield from texts({"content": block.get("content", "")})


def last_screen(messages):
    screen = ""
    for message in messages:
        if message["role"] == "user":
            for text in texts(message):
                for found in SCREEN.finditer(text):
                    screen = found[2] + "\n" if HEADER.match(found[2]) else screen
    return screen


def elements(screen):
    """(ref, role, state, label, value) of each line."""
    for line in screen.splitlines()[1:]:
        found = LINE.match(line)
        if found:
            label, _, value = found[4].partition(" = ")
            yield int(found[1]), found[2], found[3], label.strip('"'), value


def find(screen, role, label):
    for ref, r, _, l, _ in elements(screen):
        if r == role and l == label:
            return ref
    return None


class Actor:
    """One run. next(screen) gives the content blocks of its next turn."""

    def __init__(self, plan, quote, strict=False):
        self.steps = [s.strip() for s in plan.split(";") if s.strip()]
        self.quote = quote      # (screen) -> evidence
        self.strict = strict    # every step of the plan finds what it looks for
        self.screen = ""
        self.finishes = 0

    def call(self, step, screen):
        word, _, rest = step.partition(" ")
        if word in ("tap", "type"):
            what, _, text = rest.partition(" = ")
            role, _, label = what.partition(" ")
            ref = find(screen, role, label)
            if ref is None:
                if self.strict:
                    raise AssertionError(f"no {what} for {step!r} on:\n{screen}")
                return None
            if word == "tap":
                return "tap", {"ref": ref}
            return "type_text", {"ref": ref, "text": text, "replace": True}
        if word == "wait":
            role, _, label = rest.partition(" ")
            return "wait_for", {"until": "exists", "element": f'{role} "{label}"', "seconds": 10}
        return {
            "find": ("scroll_to", {"text": rest}), "url": ("open_url", {"url": rest}),
            "launch": ("launch_app", {"bundle_id": rest}), "back": ("back", {}),
            "end": ("terminate_app", {"bundle_id": rest}),
        }[word]

    def next(self, screen):
        self.screen = screen or self.screen
        while self.steps:
            call = self.call(self.steps.pop(0), self.screen)
            if call:
                return [call, ("snapshot", {})]
        self.finishes += 1
        return self.finish()

    def finish(self):
        return [("finish", {"verdict": "passed", "summary": "It is done.",
                            "evidence": self.quote(self.screen)})]


class Silent(Actor):
    """Ends its turn with words."""

    def finish(self):
        return ["It is done: the goal is reached, passed."]


def stream(model, blocks):
    """The events of one answer."""
    yield {"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1}}}
    for i, block in enumerate(blocks):
        if isinstance(block, str):
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block}
        else:
            stream.count += 1
            start = {"type": "tool_use", "id": f"toolu_{stream.count}", "name": block[0],
                     "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block[1])}
        yield {"type": "content_block_start", "index": i, "content_block": start}
        yield {"type": "content_block_delta", "index": i, "delta": delta}
        yield {"type": "content_block_stop", "index": i}
    reason = "end_turn" if isinstance(blocks[-1], str) else "tool_use"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
           "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}


stream.count = 0


class Server:
    """actors: {case: Actor}; judge(case, screen) -> bool is the verifier."""

    def __init__(self, actors, judge):
        self.actors, self.judge = actors, judge
        self.errors = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    blocks = outer.answer(body)
                    status = 200
                except Exception as e:  # pylint: disable=broad-except
                    outer.errors.append(repr(e))
                    status = 400
                if status == 200:
                    kind = "text/event-stream"
                    data = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n"
                                   for e in stream(body["model"], blocks)).encode()
                else:
                    kind = "application/json"
                    data = json.dumps({"type": "error", "error": {
                        "type": "invalid_request_error", "message": outer.errors[-1][:200]}}).encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, body):
        case = int(CASE.search(json.dumps(body["messages"][0]))[1])
        screen = last_screen(body["messages"])
        if any(t["name"] == "verdict" for t in body["tools"]):
            agrees = self.judge(case, screen)
            return [("verdict", {"agrees": agrees, "reason": "I looked at the phone."})]
        return self.actors[case].next(screen)

    def close(self):
        self.http.shutdown()
        self.http.server_close()
