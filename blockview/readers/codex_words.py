"""The words that a Codex rollout shows beside what was recorded."""

from __future__ import annotations

ADDED = """
300 aborted action activity additional after agent agentmessage agents and another answer app applied apply approval
approved archived arguments ascii asked assessment assistant auto available back background base64 been begin block
blocked break but byte call callid calling can cancelled claude client code codex collab collaboration command
communication compacted compaction complete completed configuration content context could count custom data denied diff
doesn dynamic end entered environment err error errored event exec execution exit exited failed for function generating
generation ghost git given goal granted guardian has haven history holds hook image incomplete input inputschema
inputvalidationerror instructions inter interpreting interrupted item jsonl left list local longer malformed mcp
mcptoolcall message meta mode model moved msg name nextcursor none not note notification opened other out output
outputschema own parse part patch payload permission permissions plan plugins proceed progress prompt raw read reason
reasoning recorded recording reference refusal refused rejected replace request requested response result review rolled
rollout rule running search searching section session sessions settings shell sibling skills snapshot spawn started
state still stream sub subagent subagentactivity subagents such summary surrogateescape take task text the thinking
this thread timestamp token tool tools turn turns type undo unknown unsupported update updated use user usermessage utf
validation view want warning was web world you zst
"""
"""All words in the texts from which notes and states are made, and then some, in small letters."""
