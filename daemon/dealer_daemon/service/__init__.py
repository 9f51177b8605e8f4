"""What the station is to the service manager: what it tells it, when it is fed, and what a reload changes."""
