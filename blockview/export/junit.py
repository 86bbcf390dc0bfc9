"""What a check found, as JUnit's XML, which every CI can show: a suite a session, a test case a call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from xml.etree import ElementTree as Xml

from blockview.core.findings import Finding, Kind
from blockview.core.safetext import visible
from blockview.export.audit import Audit, call_name


def junit_text(audits: Sequence[Audit], failing: Collection[Kind]) -> str:
    """The XML document.

    Args:
        audits: What was found in each session.
        failing: The kinds of findings that make a test case fail; what a baseline knows fails none.
    """
    root = Xml.Element("testsuites", name="blockview check")
    for audit in audits:
        root.append(_suite(audit, failing))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(audit: Audit, failing: Collection[Kind]) -> Xml.Element:
    suite = Xml.Element("testsuite", name=visible(audit.source))
    for checked in audit.calls:
        seconds = (checked.call.duration_ms or 0.0) / 1000
        name = f"block {checked.block + 1} call {checked.number + 1} {checked.call.id}".rstrip()
        bad = [found for found in checked.findings if found.kind in failing and not audit.knows(checked, found)]
        suite.append(_case(call_name(checked.call), name, seconds, checked.findings, bad))
    if audit.unread:
        bad = [found for found in audit.unread if found.kind in failing and not audit.knows(None, found)]
        suite.append(_case("recording", "what was read", 0.0, audit.unread, bad))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in suite)))
    suite.set("errors", "0")
    suite.set("skipped", "0")
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in suite):.3f}")
    return suite


def _case(kind: str, name: str, seconds: float, findings: Sequence[Finding], bad: Sequence[Finding]) -> Xml.Element:
    """A test case that fails when some of the findings are bad."""
    case = Xml.Element("testcase", classname=kind, name=visible(name), time=f"{seconds:.3f}")
    if bad:
        failure = Xml.SubElement(case, "failure", type=bad[0].kind.value, message=_line(bad[0]))
        failure.text = "\n".join(map(_line, bad))
    others = [found for found in findings if found not in bad]
    if others:
        Xml.SubElement(case, "system-out").text = "\n".join(map(_line, others))
    return case


def _line(found: Finding) -> str:
    path = f"{found.path} " if found.path else ""
    return visible(f"{found.kind.value}, line {found.place.line}: {path}{found.message}")
