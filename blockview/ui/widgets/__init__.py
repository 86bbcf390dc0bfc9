"""Widgets that draw lines of the core by Textual's line API."""
