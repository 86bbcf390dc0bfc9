"""Catalogs: they answer which input schema a tool has, from the recording itself or from a file."""
