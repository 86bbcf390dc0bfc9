"""A real MCP server over stdio that keeps the bytes of every line it gets.

Usage: python byte_server.py FILE. It knows one tool, `t`, and answers every call with an empty result.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    sys.set_int_max_str_digits(0)
    with open(sys.argv[1], "ab", buffering=0) as kept:
        for line in sys.stdin.buffer:
            kept.write(line)
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if "id" not in message:
                continue
            answers = {
                "initialize": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "bytes", "version": "1"},
                },
                "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
                "tools/call": {"content": []},
            }
            answer = {"jsonrpc": "2.0", "id": message["id"]}
            if message["method"] in answers:
                answer["result"] = answers[message["method"]]
            else:
                answer["error"] = {"code": -32601, "message": "Method not found"}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
