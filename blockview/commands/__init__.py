"""The commands, one in each file: `describe` adds a command's options to its parser, `run` does it."""

import gc
from importlib import import_module
from types import ModuleType


class Failure(ValueError):
    """A command cannot go on; the message is the one line that the person reads."""


def load(name: str) -> ModuleType:
    """Import a module and all it needs without collecting garbage on the way: there is none, and to look costs time."""
    looked = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        if looked:
            gc.enable()
