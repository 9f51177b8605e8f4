"""What game servers see: topics, bodies, the link to the broker, the publisher and the commands (``design.md``)."""
