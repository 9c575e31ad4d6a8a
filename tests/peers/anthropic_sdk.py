"""The double, asked by Anthropic's own client for Python, which here checks every answer by its types.

usage: anthropic_sdk.py BUILD_DIR. The client is pinned, and is installed into BUILD_DIR on the first run;
without pip or its index the test is skipped (exit status 77).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pypi

PACKAGE = "anthropic==2.12.0"
MODEL = "claude-sonnet-5-5"
TOOL = {"name": "tap", "input_schema": {"type": "object", "properties": {"ref": {"type": "integer"}}}}
SCRIPT = {"turns": [
    {"match": {"user_text": "search"}, "blocks": [
        {"raw": {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x", "max": 3}}}],
     "stop_reason": "pause_turn"},
    {"match": {"turn": 0}, "blocks": [
        {"thinking": "Where is it?"}, {"redacted_thinking": "opaque"}, {"text": "Looking."},
        {"tool_use": "tap", "input": {"ref": 1, "again": {"b": 1, "a": 2}}}]},
    {"match": {"turn": [1, 9]}, "blocks": [{"text": "done"}]}]}


def reordered(value):
    """The same value with the members of every object in another order."""
    if isinstance(value, dict):
        return {k: reordered(value[k]) for k in reversed(value)}
    return [reordered(v) for v in value] if isinstance(value, list) else value


def talk(client, anthropic):
    messages = [{"role": "user", "content": "find it"}]
    ask = {"model": MODEL, "max_tokens": 2000, "tools": [TOOL]}
    answer = client.messages.create(messages=messages, **ask)
    assert [b.type for b in answer.content] == ["thinking", "redacted_thinking", "text", "tool_use"], answer
    use = answer.content[3]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "tapped"}]}
    # As the client's objects; as JSON text and back; with all members in another order.
    plain = [b.to_dict() for b in answer.content]
    for content in (answer.content, json.loads(json.dumps(plain)), reordered(plain)):
        again = client.messages.create(messages=[*messages, {"role": "assistant", "content": content}, result], **ask)
        assert again.content[0].text == "done", again
    plain[1]["data"] += "x"
    try:
        client.messages.create(messages=[*messages, {"role": "assistant", "content": plain}, result], **ask)
        raise AssertionError("changed thinking was taken")
    except anthropic.BadRequestError as e:
        assert "messages.1.content.1: " in str(e), e


def pause(client):
    messages = [{"role": "user", "content": "search for it"}]
    answer = client.messages.create(model=MODEL, max_tokens=100, messages=messages)
    assert answer.stop_reason == "pause_turn", answer
    content = reordered([b.to_dict() for b in answer.content])
    client.messages.create(model=MODEL, max_tokens=100, messages=[*messages, {"role": "assistant", "content": content}])


def stream(client):
    ask = {"model": MODEL, "max_tokens": 2000, "tools": [TOOL], "messages": [{"role": "user", "content": "find it"}]}
    with client.messages.stream(**ask) as events:
        for _ in events:
            pass
        final = events.get_final_message()
    assert final.stop_reason == "tool_use" and final.content[3].input["ref"] == 1, final
    counted = client.messages.count_tokens(model=MODEL, messages=ask["messages"], tools=[TOOL])
    assert counted.input_tokens > 0, counted


def models(client, anthropic):
    whole = [m.id for m in client.models.list()]
    assert MODEL in whole and len(set(whole)) == len(whole), whole
    assert [m.id for m in client.models.list(limit=3)] == whole, "page by page"
    assert {m.lifecycle for m in client.models.list()} == {"active"}
    assert client.models.retrieve(MODEL).id == MODEL
    for call in (lambda: client.models.retrieve("claude-9"), lambda: client.messages.batches.list(),
                 lambda: client.messages.batches.retrieve("msgbatch_1")):
        try:
            call()
            raise AssertionError("was found")
        except anthropic.NotFoundError as e:
            assert e.body["error"]["type"] == "not_found_error", e


def main():
    pypi.run_in(pathlib.Path(sys.argv[1]).resolve() / "python", PACKAGE)
    import anthropic  # only in the environment that was just made

    with tempfile.NamedTemporaryFile("w", suffix=".json") as script:
        json.dump(SCRIPT, script)
        script.flush()
        double = subprocess.Popen([os.environ["IOS_AGENT"], "mock-api", "--script", script.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            client = anthropic.Anthropic(base_url=double.stdout.readline().strip(), api_key="sk-ant-peer",
                                         max_retries=0, timeout=30, _strict_response_validation=True)
            talk(client, anthropic)
            pause(client)
            stream(client)
            models(client, anthropic)
        finally:
            double.terminate()
            double.wait()
    print("anthropic", anthropic.__version__, "agrees")


if __name__ == "__main__":
    main()
