"""The bundled session, its tools file, and the strict MCP servers that its calls can be sent to."""
