"""Every device on the wire side, for tests and demonstrations."""
