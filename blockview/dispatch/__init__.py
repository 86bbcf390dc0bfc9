"""Servers and what is sent to them: the configs people have, connections over the MCP SDK, replay."""
