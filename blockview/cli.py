"""The command line: finds the command, imports it, and turns its failures into one line and an exit code.

Nothing but the standard library is loaded here, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from blockview.commands import Failure, load

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = """\
blockview: what an agent's MCP tool calls really sent, and the exact digits that came back

  blockview [PATH ...]             browse a recording; a folder, several files or nothing: choose from a list
  blockview demo                   browse the bundled session; its strict servers are ready for replay
  blockview sessions [PATH ...]    list the sessions of your tools, or of a folder, with all counts (--json)
  blockview find TEXT [PATH ...]   look for a text in all sessions (--regex, --case, --json, --limit N)
  blockview render PATH            print a session (--format text|ansi|markdown|html|svg|json, --block N, --call ID)
  blockview check PATH ...         what asks for a second look, also in CI (--fail-on, --junit, --sarif, --baseline)
  blockview replay PATH            send recorded calls again, compare the answers (--call ID, --tool NAME, --yes)
  blockview record -o FILE -- CMD  sit between a client and its stdio server, pass on every byte, keep every message
  blockview coerce --schema FILE   arguments on stdin, dispatched arguments on stdout (--transport stdio|http)
  blockview servers                list the MCP servers that your tools configure; starts none (--json)
  blockview tools [NAME]           ask servers for their tools, print them as a file for --tools

  --follow                browse: read on while the recording grows
  --filter WORDS          render, replay: only what a filter holds for, such as 'tool:run_* is:error'
  --coerce top|deep|off   how far whole-number floats become integers where the schema says so (default: top)
  --tools FILE            tool schemas: a tools/list result or an array of tools
  --server NAME=COMMAND   an MCP server that a command starts; --url NAME=URL, --header, --config FILE likewise
  --places                print where your tools' recordings are looked for, and what is there
  --version               print the version
  -h, --help              print this; with a command, that command's options

PATH may be - for stdin or demo (but not for sessions), or FILE#ID for one session of a database. A recording is
recognised by its content: sessions of Claude Code, Codex, Copilot CLI, Gemini CLI, OpenCode, Goose, Cline, Roo,
VS Code, Warp and ACP agents, API logs, OTLP spans, captures of MCP traffic.
"""

_BROWSE = "browse"
_COMMANDS = ("demo", "sessions", "find", "render", "check", "coerce", "servers", "tools", "replay", "record")
"""The commands; each is the module of its name in `blockview.commands`."""
_DEMO = "demo"
"""The one command that is the name of a recording as well."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Results go to stdout, everything else to stderr.

    Args:
        arguments: What stands behind the program's name; by default the process's own.

    Returns:
        The exit code: 0 fine, 2 cannot, 130 interrupted, 141 nobody reads the output any more.
    """
    # A stream that was closed before the start is None here; what goes to it is not wanted.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (it stays open)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (it stays open)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except Failure as failure:
        return _fail(str(failure))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget(sys.stdout)
        return 141
    except OSError as error:
        _forget(sys.stdout)
        return _fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except MemoryError:
        return _fail("not enough memory for this input")


def _fail(reason: str) -> int:
    from blockview.core.safetext import visible

    try:
        print(f"blockview: {visible(reason)}", file=sys.stderr, flush=True)
    except OSError:
        _forget(sys.stderr)
    return 2


def _forget(stream: TextIO) -> None:
    """Send a stream that cannot be written to nowhere: the interpreter flushes it at exit and would complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str]) -> int:
    named = bool(arguments) and arguments[0] in _COMMANDS
    if not named and not {"-h", "--help"}.isdisjoint(arguments):
        print(HELP, end="")
        return 0
    if not named and "--version" in arguments:
        from blockview import __version__

        print(f"blockview {__version__}")
        return 0
    name, rest = (arguments[0], arguments[1:]) if named else (_BROWSE, arguments)
    late = next((word for word in rest if word in _COMMANDS and word != _DEMO and not os.path.exists(word)), None)
    if not named and late:
        raise Failure(f"the command comes first: blockview {late} ...; see blockview --help")
    if name in (_BROWSE, _DEMO):
        # There is no garbage before the first screen, and to look for it costs time. The app looks for it from then on.
        gc.disable()
    try:
        command = load(f"blockview.commands.{name}")
        parser = _parser(f"blockview {name}" if named else "blockview")
        command.describe(parser)
        code: int = command.run(parser.parse_args(rest))
    finally:
        gc.enable()
    return code


def _with_values(words: Sequence[str]) -> list[str]:
    """The words of a command line in which a filter that begins with a minus sign is no option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--filter" and word.startswith("-") and not word.startswith("--"):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _parser(program: str) -> ArgumentParser:
    from argparse import ArgumentParser

    class Parser(ArgumentParser):
        def parse_args(self, args: list[str]) -> Namespace:  # type: ignore[override]
            return super().parse_args(_with_values(args))

        def error(self, message: str) -> NoReturn:
            raise Failure(f"{message}; see {self.prog} --help")

    return Parser(prog=program, allow_abbrev=False)
