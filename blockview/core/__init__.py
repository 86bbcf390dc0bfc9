"""The pure core: a recorded session as immutable data, and the rules for showing it. No I/O, no UI, no MCP."""
