"""``queuecompat serve``: what its servers say, and how they end."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from typing import List

import pytest

from queuecompat import cli
from tests.service.cluster import Cluster, Process

NO_SIGNAL = 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one of the arguments --dispatcher --worker is required"),
        (["--worker"], "--worker needs --dispatcher-address HOST:PORT"),
        (["--worker", "--dispatcher-address", "somewhere"], "is not HOST:PORT"),
        (["--dispatcher", "--host", "a"], "--dispatcher-address and --host are for a --worker"),
        (["--worker", "--dispatcher-address", "a:1", "--work-dir", "b"], "--work-dir is for a --dispatcher"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    arguments: List[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--job-name", "j", "-c", "pass"], "--job-name needs --data-service"),
        (["--data-service", "nowhere", "x.py"], "'nowhere' is not grpc://HOST:PORT"),
    ],
)
def test_what_run_is_given_is_checked_first(
    arguments: List[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--dispatcher"], ["--worker", "--dispatcher-address"]])
def test_a_port_on_which_another_server_listens_is_refused(
    arguments: List[str], cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    # gRPC let both listen there, and each got some of the connections; a worker there ended with a traceback.
    address = [f"localhost:{cluster.port}"] if "--worker" in arguments else []
    process = Process(tmp_path / "second", *arguments, *address, "--port", str(cluster.port))
    try:
        process.says(f"cannot serve on port {cluster.port}: .*in use")
        assert process.end(NO_SIGNAL) == 1
    finally:
        process.end()


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_number_that_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--dispatcher", "--port", port])
    assert ended.value.code == 2
    assert "0 to 65535" in capsys.readouterr().err


def test_servers_say_what_they_do_and_end_with_a_signal(tmp_path: pathlib.Path) -> None:
    made = Cluster(tmp_path / "processes", ["0", "0"])
    try:
        made.dispatcher.says(r"start workers with: python -m queuecompat serve --worker --dispatcher-address HOST:\d+")
        made.workers[0].says(r"trainers reach it at 127\.0\.0\.1")
        for number, process in zip((signal.SIGINT, signal.SIGTERM, signal.SIGTERM), [*made.workers, made.dispatcher]):
            assert process.end(number) == 0
            process.says("stopping")
    finally:
        made.end()


WOKEN_ELSEWHERE = """
import signal, threading
from queuecompat import serving

def interrupted():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

signals = serving._signals()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
threading.Timer(0.5, interrupted).start()
serving._serve(object(), "dispatcher", signals)
"""


def test_a_signal_that_does_not_interrupt_the_wait_ends_a_server() -> None:
    """One that came right before the wait for it, or in a thread of gRPC, was seen when the next one came."""
    ended = subprocess.run([sys.executable, "-c", WOKEN_ELSEWHERE], stderr=subprocess.PIPE, timeout=60, check=True)
    assert b"dispatcher: stopping" in ended.stderr


def test_without_a_dispatcher_a_worker_says_so_and_names_no_line(tmp_path: pathlib.Path) -> None:
    """It named a line of Python's own "runpy"."""
    patience = "from queuecompat._backends.tfdata import dispatchers\n\ndispatchers.PATIENCE = 0.0\n"
    (tmp_path / "sitecustomize.py").write_text(patience)
    path = os.pathsep.join([str(tmp_path), str(pathlib.Path(cli.__file__).parents[1])])
    command = [sys.executable, "-m", "queuecompat", "serve", "--worker", "--dispatcher-address", "localhost:1"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 1
    assert "QC361" in done.stderr and "made at" not in done.stderr
