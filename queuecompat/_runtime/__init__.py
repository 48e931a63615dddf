"""From a call of the surface to a pipeline that runs in a session."""
