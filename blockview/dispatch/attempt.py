"""One call under way, and the outcome that becomes of it. Loads the SDK."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter

from blockview.core.outcome import Ended, Outcome
from blockview.core.outputs import violation
from blockview.core.prepare import Prepared
from blockview.core.raw import text_of
from blockview.dispatch import sdk
from blockview.dispatch.mailbox import Send
from blockview.dispatch.outcomes import Verdict, last_lines, verdict
from blockview.dispatch.shared import Listing
from blockview.dispatch.tee import Exchange, Log, arguments_of


class Attempt:
    """A call that is being sent.

    Args:
        job: What was asked for.
        prepared: What the dispatch path made of the arguments.
        exchange: The request and what comes back.
        listing: The tools as the server lists them now.
        log: Has what the server writes to stderr.
    """

    def __init__(self, job: Send, prepared: Prepared, exchange: Exchange, listing: Listing, log: Log) -> None:
        self.job, self.exchange = job, exchange
        self._prepared, self._listing, self._log = prepared, listing, log
        self._started = datetime.now(UTC)
        self._clock = perf_counter()

    def answered(self, version: str) -> Outcome:
        """The outcome by the answer, with a remark for whatever the SDK or the output schema has against it.

        Args:
            version: The negotiated version of the protocol.
        """
        exchange, answer = self.exchange, self.exchange.answer or b""
        found = verdict(answer)
        parsed, unreadable = (None, exchange.unreadable) if exchange.unreadable else sdk.reading(answer)
        if unreadable:
            exchange.remarks.append(f"the MCP SDK cannot read this answer: {unreadable}")
        elif refused := sdk.refused_result(parsed, version):
            exchange.remarks.append(f"the MCP SDK refuses this result: {refused}")
        schema = self._listing.output_schema(self.job.call.tool)
        if schema is not None and found.ended is Ended.RESULT and found.result is not None:
            wrong = violation(schema, found.result.structured)
            exchange.remarks += [wrong] if wrong else []
        return self._outcome(found, text_of(answer))

    def unanswered(self, gone: str, late: str, problem: str) -> Outcome:
        """The outcome without an answer.

        Args:
            gone: How the connection has ended, if it has.
            late: That the time is over, if it is.
            problem: What the SDK said.
        """
        exchange = self.exchange
        if not (exchange.frame or gone or late):
            return self._outcome(Verdict(Ended.CANNOT_SEND, f"the MCP SDK cannot write the message: {problem}"))
        if exchange.trouble or gone:
            found = Verdict(Ended.SERVER_DIED, exchange.trouble or gone)
        elif late:
            found = Verdict(Ended.TIMED_OUT, late)
        elif exchange.http.startswith(("HTTP 4", "HTTP 5")):
            found = Verdict(Ended.PROTOCOL_ERROR, exchange.http)
        elif exchange.http:
            found = Verdict(Ended.PROTOCOL_ERROR, f"{exchange.http} ({problem})")
        else:
            found = Verdict(Ended.SERVER_DIED, problem)
        if exchange.remarks:
            found = found._replace(detail=f"{found.detail}; {exchange.remarks[-1]}")
        return self._outcome(found)

    def cancelled(self) -> Outcome:
        """The outcome of a call that the person has given up."""
        return self._outcome(Verdict(Ended.CANCELLED, "it was sent: the server may have done it all the same"))

    def _outcome(self, found: Verdict, raw: str = "") -> Outcome:
        exchange = self.exchange
        return Outcome(
            found.ended,
            found.detail,
            found.code,
            sent=arguments_of(exchange.frame) if exchange.frame else None,
            status=found.status,
            result=found.result,
            raw=raw,
            remarks=tuple(exchange.remarks),
            stderr="" if found.ended is Ended.RESULT else last_lines(self._log.stderr),
            prepared=self._prepared,
            started=self._started,
            duration_ms=((exchange.answered or perf_counter()) - self._clock) * 1000,
        )
