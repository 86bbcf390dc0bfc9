"""A server that calls can be sent to: what is started or reached, and how."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Server(msgspec.Struct, frozen=True):
    """One configured server. `how` is "stdio" (`command`, `env`, `folder`), "http" or "sse" (`url`, `headers`).

    `source` says where it is configured ("--server", the path of a config), for the person.
    """

    name: str
    how: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = {}
    source: str = ""
