"""Who asks tables: exact bounded aggregates from an engine, noise and budget from below."""
