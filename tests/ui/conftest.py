"""Tests of the app are coroutines; each runs in an event loop of its own."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from textual.widgets import Input

from blockview.ui.screens import confirm


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(autouse=True)
def quick_fingers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press keys faster than a person reads."""
    monkeypatch.setattr(confirm, "HELD", 0.0)


@pytest.fixture(autouse=True)
def still_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input's cursor that blinks makes pictures differ."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
