"""The colours of documents and pictures: each role as CSS, for light and for dark surroundings."""

from __future__ import annotations

from blockview.core.lines import Role

_LIGHT = {"text": "#1f2328", "quiet": "#5b646e", "blue": "#0550ae", "green": "#116329", "violet": "#6639ba"}
_LIGHT |= {"yellow": "#7a4d00", "mark": "#fff1c2", "red": "#b3141f", "paper": "#ffffff", "edge": "#d0d7de"}
_DARK = {"text": "#e6edf3", "quiet": "#9aa4af", "blue": "#79b8ff", "green": "#7ee787", "violet": "#d2a8ff"}
_DARK |= {"yellow": "#f2cc60", "mark": "#4a3a00", "red": "#ff8b80", "paper": "#0d1117", "edge": "#3d444d"}

_ROLES = {
    Role.TITLE: "color:var(--blue);font-weight:bold",
    Role.PROMPT: "font-weight:bold",
    Role.THINKING: "color:var(--quiet);font-style:italic",
    Role.QUIET: "color:var(--quiet)",
    Role.KEY: "color:var(--blue)",
    Role.STRING: "color:var(--green)",
    Role.NUMBER: "font-weight:bold",
    Role.WORD: "color:var(--violet)",
    Role.PUNCTUATION: "color:var(--quiet)",
    Role.TOOL: "font-weight:bold",
    Role.CHANGED: "color:var(--yellow);background:var(--mark);font-weight:bold",
    Role.WAS: "color:var(--yellow)",
    Role.SPELLING: "color:var(--quiet);font-style:italic",
    Role.MISSING: "color:var(--violet);font-weight:bold",
    Role.ERROR: "color:var(--red);font-weight:bold",
    Role.OK: "color:var(--green)",
}


def style_sheet(*, fill: bool = False) -> str:
    """CSS rules: the colours as variables, and a class for each role.

    Args:
        fill: For SVG, where text is filled and has no background.
    """
    rules = [f":root{{{_variables(_LIGHT)}}}", f"@media(prefers-color-scheme:dark){{:root{{{_variables(_DARK)}}}}}"]
    for role, style in _ROLES.items():
        parts = [part for part in style.split(";") if not (fill and part.startswith("background:"))]
        rules.append(f".{role.value}{{{';'.join(parts).replace('color:', 'fill:') if fill else ';'.join(parts)}}}")
    return "\n".join(rules)


def styled(role: Role) -> bool:
    """Whether a role looks otherwise than plain text."""
    return role in _ROLES


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in colours.items())
