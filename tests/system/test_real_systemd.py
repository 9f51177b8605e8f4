"""The shipped unit under a real systemd: ready, reloaded, killed when it stalls and only then, stopped in order."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from support.real_systemd import run_under_systemd, skip_where_it_cannot_run

MINOR = sys.version_info.minor
CONFIG = """
[station]
site = "studio-1"
state_dir = "/var/lib/dealer-station"
signing_key_file = "credential:signing-key"
[mqtt]
url = "mqtt://127.0.0.1:1"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""
DROP_IN = """
[Service]
WatchdogSec=4s
LoadCredential=signing-key:/etc/dealer-station/credentials/signing-key.pem
"""
LIBRARIES = """
import ctypes, pathlib, socket
import cv2, numpy, usb.backend.libusb1, zxingcpp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
picture = numpy.zeros((480, 640), numpy.uint8)
cv2.circle(picture, (300, 200), 50, 255, -1)
assert len(cv2.findContours(cv2.GaussianBlur(picture, (5, 5), 0), 0, 2)[0]) == 1
numpy.random.rand(200, 200) @ numpy.random.rand(200, 200)
zxingcpp.read_barcodes(picture)
Ed25519PrivateKey.generate().sign(b"x")
usb.backend.libusb1.get_backend()
from pyzbar import pyzbar
pyzbar.decode((picture.tobytes(), 640, 480))
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(3) == 4
print("LIBRARIES-WORK")
for path in ("/etc/forbidden", "/opt/forbidden", "/var/lib/forbidden"):
    try:
        pathlib.Path(path).write_text("x")
    except OSError:
        continue
    print("WROTE", path)
pathlib.Path("/var/lib/dealer-station/allowed").write_text("x")
try:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    print("RAW-SOCKET")
except OSError:
    pass
"""
SCRIPT = """
wait_for() { for i in $(seq 75); do eval "$1" && return 0; sleep 0.2; done; echo "NEVER: $1"; return 1; }
show() { systemctl show -P "$1" dealer-station; }
mkdir -m 0700 /etc/dealer-station/credentials
/opt/dealer-station/bin/dealer-daemon keys make --dir /etc/dealer-station/credentials > /dev/null
echo "STARTED $(timeout 60 systemctl start dealer-station; echo $?)"
wait_for '[ -n "$(show StatusText)" ]'
echo "STATUS $(show StatusText)"
FIRST=$(show MainPID)
sed -i 's/^state_dir/retention_days = 5\\nstate_dir/' /etc/dealer-station/station.toml
systemctl reload dealer-station; echo "RELOADED $?"
wait_for 'show StatusText | grep -q reloaded'
echo "STATUS $(show StatusText)"
sed -i 's/roulette/roulete/' /etc/dealer-station/station.toml
systemctl reload dealer-station 2>/dev/null; echo "WRONG-RELOAD $? $(show ActiveState)"
sed -i 's/roulete/roulette/' /etc/dealer-station/station.toml
sleep 9
echo "UNTOUCHED $([ "$(show MainPID)" = "$FIRST" ] && echo yes) restarts $(show NRestarts)"
kill -STOP $FIRST
wait_for '[ "$(show NRestarts)" = 1 ]'
wait_for '[ "$(show ActiveState)" = active ]'
echo "AFTER-STALL restarts $(show NRestarts) $(show ActiveState)"
echo "JOURNAL $(runuser -u dealer -- /opt/dealer-station/bin/dealer-daemon journal verify \
  /var/lib/dealer-station/journal.sqlite3 | tail -1)"
systemctl stop dealer-station
echo "STOPPED $(show Result) $(show ActiveState) $(show ExecMainStatus)"
sed -i 's/roulette/roulete/' /etc/dealer-station/station.toml
systemctl reset-failed dealer-station
timeout 60 systemctl start dealer-station 2>/dev/null; echo "WRONG-START $?"
sleep 4
echo "AFTER-WRONG-START $(show ActiveState) restarts $(show NRestarts) status $(show ExecMainStatus)"
echo "SIGNED $(journalctl -u dealer-station --no-pager -o cat | grep -c events_signed)"
systemctl start dealer-libraries; echo "SANDBOX $?"
journalctl -u dealer-libraries --no-pager -o cat
journalctl -u dealer-station --no-pager -o cat | grep -c 'Current thread' | sed 's/^/TRACEBACKS /'
"""


@pytest.mark.soak
def test_the_shipped_unit_lives_and_dies_as_it_should(tmp_path: Path, repository: Path) -> None:
    skip_where_it_cannot_run()
    unit = (repository / "systemd/dealer-station.service").read_text()
    probe = re.sub(r"(?m)^(ExecStart|ExecReload|Restart|WatchdogSec|RestartSec|NotifyAccess)=.*\n", "", unit)
    probe = probe.replace("Type=notify", "Type=oneshot").replace(
        "[Install]",
        f"Environment=PYTHONPATH=/opt/source/.venv/lib/python3.{MINOR}/site-packages\n"
        f"ExecStart=/usr/bin/python3.{MINOR} /etc/dealer-station/libraries.py\n[Install]",
    )
    units = "run/systemd/system"
    said = run_under_systemd(
        tmp_path,
        repository,
        SCRIPT,
        {
            "etc/dealer-station/station.toml": CONFIG,
            "etc/dealer-station/libraries.py": LIBRARIES,
            f"{units}/dealer-station.service.d/site.conf": DROP_IN,
            f"{units}/dealer-libraries.service": probe,
        },
        within_s=180,
    )
    for line in (
        "STARTED 0",
        "RELOADED 0",
        "WRONG-RELOAD 1 active",
        "UNTOUCHED yes restarts 0",
        "AFTER-STALL restarts 1 active",
        "STOPPED success inactive 0",
        "LIBRARIES-WORK",
        "SANDBOX 0",
        "TRACEBACKS 1",
        "WRONG-START 1",
        "AFTER-WRONG-START failed restarts 0 status 2",
        "SIGNED 2",
    ):
        assert line in said, said
    assert "1 of 1 tables can play" in said
    assert "reloaded: 1 changes taken up" in said
    for trouble in ("NEVER", "WROTE", "RAW-SOCKET"):
        assert trouble not in said, said
