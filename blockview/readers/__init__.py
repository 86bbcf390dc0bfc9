"""Readers of recordings: one file per format, and a registry that recognises a recording by its content."""
