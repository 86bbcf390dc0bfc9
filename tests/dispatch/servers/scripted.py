"""A stdio MCP server that follows a script: `python scripted.py STEPS`, a JSON array, done in order.

Steps: {"handshake": true}, {"tools": [NAME or TOOL]} or {"tools_pages": [[NAME or TOOL]]} for the list,
{"on": "tools/call"} with "sleep" (seconds) and "reply" (a text or a result), "error" or "raw" (a text with $ID for
the request's id), {"stdout_raw": TEXT}, {"stderr": TEXT}, {"notify": METHOD}, {"request": METHOD}, {"read_line": true},
{"sleep": SECONDS}. Requests that no step waits for are answered as they come.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import deque
from typing import Any

SCHEMA = {"type": "object", "properties": {"line": {"type": "integer"}}}


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(identity: Any, value: dict[str, Any]) -> None:
    say({"id": identity, "result": value})


class Script:
    def __init__(self, steps: list[dict[str, Any]]) -> None:
        self._steps = deque(steps)
        self._pages: list[list[Any]] = [["t"]]

    def run(self) -> None:
        self._proceed()
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("method") and "id" in message:
                self._request(message)
                self._proceed()

    def _proceed(self) -> None:
        """Do the steps up to the next one that waits for a request."""
        while self._steps and not self._steps[0].keys() & {"handshake", "on"}:
            step = self._steps.popleft()
            if step.get("read_line"):
                sys.stdin.readline()
            time.sleep(step.get("sleep", 0))
            if "stdout_raw" in step:
                sys.stdout.write(step["stdout_raw"])
                sys.stdout.flush()
            if "stderr" in step:
                repeated = re.fullmatch(r"(.)\*([0-9]+)", step["stderr"])
                sys.stderr.write(repeated[1] * int(repeated[2]) if repeated else step["stderr"])
            if "notify" in step:
                say({"method": step["notify"]})
            if "request" in step:
                say({"id": "theirs", "method": step["request"], "params": {"message": "?", "requestedSchema": {}}})
            self._pages = step.get("tools_pages", [step["tools"]] if "tools" in step else self._pages)

    def _request(self, message: dict[str, Any]) -> None:
        identity, method = message["id"], message["method"]
        if method == "initialize":
            step = self._steps.popleft()
            offers = {"tools": {"listChanged": True} if step.get("listChanged") else {}}
            info = {"name": "scripted", "version": "1"}
            version = message["params"]["protocolVersion"]
            answer(identity, {"protocolVersion": version, "capabilities": offers, "serverInfo": info})
        elif method == "tools/list":
            number = int(message.get("params", {}).get("cursor", 0))
            tools = [{"inputSchema": SCHEMA, **_tool(tool)} for tool in self._pages[number]]
            page: dict[str, Any] = {"tools": tools}
            more = {"nextCursor": str(number + 1)} if number + 1 < len(self._pages) else {}
            answer(identity, {**page, **more})
        elif method == "tools/call":
            step = self._steps.popleft() if self._steps else {}
            time.sleep(step.get("sleep", 0))
            if "raw" in step:
                print(step["raw"].replace("$ID", str(identity)), end="", flush=True)
            elif "error" in step:
                say({"id": identity, "error": step["error"]})
            else:
                reply = step.get("reply", json.dumps(message["params"]))
                text = {"content": [{"type": "text", "text": reply}]}
                answer(identity, reply if isinstance(reply, dict) else text)


def _tool(tool: Any) -> dict[str, Any]:
    return tool if isinstance(tool, dict) else {"name": tool}


if __name__ == "__main__":
    Script(json.loads(sys.argv[1])).run()
