"""The only memory: what has been charged to each population, on disk before any noise is drawn."""
