"""Sessions on paper: plain text, text with terminal colours, and the stable JSON."""
