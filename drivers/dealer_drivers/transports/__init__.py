"""How bytes come and go: serial ports, serial servers, recordings. No transport knows a device."""
