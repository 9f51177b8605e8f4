"""The checks of conftest.py catch what they say they catch."""

from __future__ import annotations

from pathlib import Path

import pytest

LEAKS = """
import asyncio, subprocess, threading

async def test_task():
    globals()["task"] = asyncio.create_task(asyncio.Event().wait(), name="forgotten-task")

async def test_task_of_a_fixture_that_ends_it(clean):
    pass

def test_thread():
    threading.Thread(target=threading.Event().wait, daemon=True, name="forgotten-thread").start()

def test_process():
    globals()["process"] = subprocess.Popen(["cat"], stdin=subprocess.PIPE)

def test_unreaped_process():
    globals()["dead"] = subprocess.Popen(["true"])

def test_clean():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    subprocess.run(["true"], check=True)

async def test_task_that_is_ending():
    asyncio.create_task(asyncio.sleep(0))

import pytest

@pytest.fixture
async def clean():
    task = asyncio.create_task(asyncio.Event().wait())
    yield
    task.cancel()
"""


def test_leaks_fail_the_test_and_are_named(pytester: pytest.Pytester) -> None:
    conftest = (Path(__file__).parent / "conftest.py").read_text().replace("GRACE_S = 2.0", "GRACE_S = 0.2")
    pytester.makeconftest(conftest)
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(LEAKS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rE")
    result.assert_outcomes(passed=7, errors=4)
    output = result.stdout.str()
    for line in ("forgotten-task", "thread 'forgotten-thread'", "(cat)", "(true, ended but never waited for)"):
        assert line in output
    for name in ("test_task", "test_thread", "test_process", "test_unreaped_process"):
        assert f"at teardown of {name} " in output


def test_real_data_is_skipped_with_a_reason(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEALER_REAL_DATA", raising=False)
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text())
    pytester.makepyfile("def test_recorded(real_data): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rs")
    result.assert_outcomes(skipped=1)
    assert "DEALER_REAL_DATA is unset" in result.stdout.str()
