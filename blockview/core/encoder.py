"""The encoder of pydantic-core, with which the MCP SDK prints its messages.

`import pydantic_core` also builds the types that describe its schemas, which takes longer than all rows of a first
screen. The encoder is in the extension module, so that alone is loaded, under its own name: whoever imports the
package later gets the same one.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_PACKAGE = "pydantic_core"
_EXTENSION = "pydantic_core._pydantic_core"


@cache
def encoder() -> ModuleType:
    """The module with `to_json`, `to_jsonable_python` and `PydanticSerializationError`."""
    loaded = sys.modules.get(_EXTENSION)
    if loaded is not None:
        return loaded
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package is not None else None
    spec = PathFinder.find_spec(_EXTENSION, folders or ())
    if spec is None or spec.loader is None:
        import pydantic_core

        return pydantic_core
    module = module_from_spec(spec)
    sys.modules[_EXTENSION] = module
    spec.loader.exec_module(module)
    return module
