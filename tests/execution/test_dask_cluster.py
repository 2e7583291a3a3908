"""Jobs on Dask: a cluster on this machine, and one that others have started."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from poise.errors import BadValue, FileProblem, MissingExtra, PoiseError
from poise.execution import Ended, Executor, JobLost, Limits, Supervised
from tests.execution.dask_jobs_to_run import (
    kill_the_dask_worker,
    leave_pid_and_linger,
    meet,
    say,
    size_of,
)
from tests.execution.jobs_to_run import behave

pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")

from poise.execution import ClusterProblem, OnDask, dask_cluster, dask_connection

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
LIMITS = Limits(seconds=5.0, memory_bytes=150_000_000)


@pytest.fixture(scope="module")
def here() -> Generator[OnDask, None, None]:
    with OnDask("local", workers=2, limits=LIMITS) as executor:
        yield executor


@pytest.fixture
def patient(here: OnDask) -> Generator[OnDask, None, None]:
    """The same cluster, without limits; with both workers, should one have just been killed."""
    with OnDask(here.address) as executor:
        wait_for(lambda: executor._look() or executor.worker_count == 2)
        yield executor


def outcome(ended: Ended[Any, Any]) -> tuple[Any, ...]:
    return (
        ended.index,
        ended.how,
        ended.value,
        type(ended.error),
        str(ended.error),
        ended.attempts,
    )


def outcomes(executor: Executor, jobs: list[Any]) -> list[tuple[Any, ...]]:
    return sorted(outcome(ended) for ended in executor.run(behave, jobs))


def gone(pids: set[int], within_s: float = 120.0) -> bool:
    deadline = time.monotonic() + within_s
    while any(alive(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(what: Callable[[], Any], within_s: float = 120.0) -> Any:
    deadline = time.monotonic() + within_s
    while not (found := what()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)
    return found


# A cluster on this machine.


def test_jobs_end_as_they_do_without_dask(here: OnDask, tmp_path: Path) -> None:
    def jobs(where: str) -> list[Any]:
        return [
            ("return", 3),
            ("hang",),
            ("raise", "no"),
            ("exit", 3),
            ("segfault",),
            ("kill",),
            ("crash_once", str(tmp_path / where)),
            ("print", "hello"),
        ]

    with Supervised(2, LIMITS) as supervised:
        assert outcomes(here, jobs("dask")) == outcomes(supervised, jobs("without"))


def test_a_job_that_eats_memory_ends_as_it_does_without_dask(here: OnDask) -> None:
    # Its attempts depend on whether its process had done other jobs before.
    [there] = here.run(behave, [("eat",)])
    with Supervised(1, LIMITS) as supervised:
        [without] = supervised.run(behave, [("eat",)])
    assert outcome(there)[:-1] == outcome(without)[:-1]
    assert there.how == "out_of_memory"
    assert there.peak_bytes > 150_000_000


def test_values_and_jobs_come_back_as_they_are(here: OnDask) -> None:
    jobs = [("return", np.random.default_rng(i).standard_normal(1000)) for i in range(5)]
    ends = list(here.run(behave, iter(jobs)))
    assert sorted(ended.index for ended in ends) == [0, 1, 2, 3, 4]
    for ended in ends:
        assert ended.job is jobs[ended.index]
        assert ended.value.tobytes() == jobs[ended.index][1].tobytes()
        assert ended.peak_bytes >= 0 and ended.seconds > 0


def test_jobs_without_end_are_taken_as_there_is_room(here: OnDask) -> None:
    taken = itertools.count()
    ends = here.run(behave, (("return", i) for i in taken))
    given = [next(ends).value for _ in range(30)]
    ends.close()
    assert len(set(given)) == 30
    assert next(taken) <= 30 + 2 * here.worker_count


def test_no_jobs_are_done_at_once(here: OnDask) -> None:
    assert list(here.run(behave, [])) == []


def test_large_work_arrives(here: OnDask) -> None:
    work = partial(size_of, os.urandom(300_000))
    assert sorted(ended.result() for ended in here.run(work, range(6))) == [
        300_000 + i for i in range(6)
    ]


def test_work_of_the_script_itself_is_refused(here: OnDask) -> None:
    with pytest.raises(BadValue, match="other processes can import"):
        next(here.run(lambda job: job, [1]))


def test_what_is_announced_there_is_heard_here(here: OnDask) -> None:
    heard: list[str] = []
    with OnDask(here.address, hear=heard.append) as executor:
        ends = executor.run(say, (f"compiling {i}" for i in itertools.count()))
        for _ in ends:
            if heard:
                break
        ends.close()
    assert heard[0].startswith("compiling ")


@pytest.mark.slow
def test_a_dask_worker_that_is_killed_loses_nothing(patient: OnDask) -> None:
    ends = patient.run(behave, [("sleep", 0.5 + i / 1000) for i in range(8)])
    results = [next(ends).result()]
    pids = patient._client.run(os.getpid)
    psutil.Process(min(pids.values())).kill()
    results += [ended.result() for ended in ends]
    assert sorted(results) == [0.5 + i / 1000 for i in range(8)]


@pytest.mark.slow
def test_a_job_that_takes_its_dask_worker_with_it_is_lost_in_the_end(patient: OnDask) -> None:
    [ended] = patient.run(kill_the_dask_worker, [0])
    assert ended.how == "crashed"
    assert isinstance(ended.error, JobLost)
    assert "Dask workers died" in str(ended.error)
    assert [each.result() for each in patient.run(behave, [("return", 1)])] == [1]


def test_closing_a_run_ends_what_it_began(patient: OnDask, tmp_path: Path) -> None:
    paths = [tmp_path / str(i) for i in range(20)]
    ends = patient.run(leave_pid_and_linger, ["", *map(str, paths)])
    assert next(ends).how == "done"
    pid = wait_for(lambda: one_pid(tmp_path))
    ends.close()
    assert gone({pid})
    assert [each.result() for each in patient.run(behave, [("return", 1)])] == [1]
    assert len(list(tmp_path.iterdir())) == 1, "what had not begun was begun"


def test_closing_the_connection_ends_what_it_began(patient: OnDask, tmp_path: Path) -> None:
    executor = OnDask(patient.address)
    ends = executor.run(leave_pid_and_linger, ["", str(tmp_path / "a"), str(tmp_path / "b")])
    assert next(ends).how == "done"
    pid = wait_for(lambda: one_pid(tmp_path))
    executor.close()
    executor.close()
    assert gone({pid})
    for run in (ends, executor.run(behave, [("return", 1)])):
        with pytest.raises(ClusterProblem, match="closed"):
            next(run)


def test_our_processes_listen_to_this_machine_only(here: OnDask) -> None:
    own = psutil.Process()
    found = [each for process in (own, *own.children(recursive=True)) for each in heard_at(process)]
    assert len(found) >= 5  # a scheduler, two nannies and two workers at least
    assert {address for address, _ in found} == {"127.0.0.1"}


@pytest.mark.slow
def test_a_dashboard_for_all_is_so_only_when_told_and_closing_leaves_nothing() -> None:
    before = set(psutil.Process().children(recursive=True))
    with OnDask("local", workers=1, dashboard="0.0.0.0:0") as executor:
        started = set(psutil.Process().children(recursive=True)) - before
        found = [each for process in started for each in heard_at(process)]
        assert sorted({address for address, _ in found}) == ["0.0.0.0", "127.0.0.1"]
        assert sum(address == "0.0.0.0" for address, _ in found) == 1
        list(executor.run(behave, [("return", 1)]))
        started |= set(psutil.Process().children(recursive=True)) - before
        assert len(started) >= 4  # the cluster, its worker, and the process that works
    assert gone({process.pid for process in started})


@pytest.mark.parametrize("dashboard", ["there", "host:", "99999"])
def test_a_dashboard_needs_a_port(dashboard: str) -> None:
    with pytest.raises(BadValue, match="a port, or a host and a port"):
        OnDask("local", dashboard=dashboard)


def heard_at(process: psutil.Process) -> list[tuple[str, int]]:
    try:
        found = process.net_connections()
    except psutil.NoSuchProcess:
        return []
    return [(each.laddr.ip, each.laddr.port) for each in found if each.status == "LISTEN"]


def one_pid(folder: Path) -> int:
    return next((int(path.read_text() or 0) for path in folder.iterdir()), 0)


# Clients that end badly.


BEGUN = "print('begun', flush=True)"


def script(tmp_path: Path, *lines: str) -> subprocess.Popen[str]:
    """One as users write them: nothing guards it from being imported again."""
    path = tmp_path / "script.py"
    start = """
        import sys, time
        from poise.execution import OnDask
        from tests.execution.jobs_to_run import behave
        executor = OnDask("local", workers=1)
        ends = executor.run(behave, [("return", 1), ("hang",), ("hang",)])
        assert next(ends).result() == 1
        time.sleep(0.5)
    """
    path.write_text(textwrap.dedent(start) + "\n".join(lines))
    running = subprocess.Popen(
        [sys.executable, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n", running.communicate()[1]
    return running


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_client_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    running = script(tmp_path, BEGUN, "next(ends)")
    pids = {each.pid for each in psutil.Process(running.pid).children(recursive=True)}
    assert len(pids) >= 3
    running.kill()
    _, errors = running.communicate()
    assert gone(pids)
    assert errors == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_client_that_is_interrupted_is_silent_and_leaves_no_process(tmp_path: Path) -> None:
    running = script(
        tmp_path,
        "try:",
        f"    {BEGUN}",
        "    next(ends)",
        "except KeyboardInterrupt:",
        "    executor.close()",
    )
    pids = {each.pid for each in psutil.Process(running.pid).children(recursive=True)}
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    _, errors = running.communicate(timeout=120)
    assert gone(pids)
    assert errors == ""


@pytest.mark.slow
def test_a_client_that_just_stops_is_silent_and_leaves_no_process(tmp_path: Path) -> None:
    running = script(tmp_path, BEGUN, "time.sleep(0.2)")
    pids = {each.pid for each in psutil.Process(running.pid).children(recursive=True)}
    _, errors = running.communicate(timeout=120)
    assert gone(pids)
    assert errors == ""


# A cluster that others have started.


class Elsewhere:
    """A scheduler and workers as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self._log = folder / "log"
        self.scheduler = self._started("dask_scheduler", "--port", "0")
        wait_for(self.file.exists)

    def worker(self, *options: str, **variables: str) -> subprocess.Popen[bytes]:
        return self._started("dask_worker", "--nthreads", "2", *options, **variables)

    def _started(self, what: str, *options: str, **variables: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [
                    *(sys.executable, "-W", "ignore", "-m", f"distributed.cli.{what}"),
                    *("--scheduler-file", str(self.file), "--host", "127.0.0.1"),
                    *("--dashboard-address", "127.0.0.1:0", *options),
                ],
                stdout=log,
                stderr=log,
                cwd=self.file.parent,
                env={**os.environ, "PYTHONPATH": PYTHONPATH, **variables},
            )


def end(process: subprocess.Popen[Any]) -> None:
    for each in (*psutil.Process(process.pid).children(recursive=True), process):
        with_suppressed_kill(each)
    process.wait()


def with_suppressed_kill(process: psutil.Process | subprocess.Popen[Any]) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    cluster = Elsewhere(tmp_path_factory.mktemp("elsewhere"))
    yield cluster
    if cluster.scheduler.poll() is None:
        end(cluster.scheduler)


@pytest.fixture
def worker(elsewhere: Elsewhere) -> Iterator[subprocess.Popen[bytes]]:
    process = elsewhere.worker()
    yield process
    end(process)


def test_a_cluster_without_workers_says_so(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "WORKERS_S", 0.3)
    with pytest.raises(ClusterProblem, match=r"no workers for 0.3 s. Start some: dask worker tcp"):
        OnDask(str(elsewhere.file))


def test_a_cluster_without_poise_says_so_before_any_job(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    (tmp_path / "poise").mkdir()
    (tmp_path / "poise/__init__.py").write_text("raise ImportError('no poise here')")
    bare = elsewhere.worker("--no-nanny", PYTHONPATH=str(tmp_path))
    try:
        with pytest.raises(ClusterProblem, match=r"cannot import Poise \(no poise here\).*Install"):
            OnDask(str(elsewhere.file))
    finally:
        end(bare)


@pytest.mark.slow
def test_a_cluster_that_others_started_does_jobs_and_is_left_as_it_was(
    elsewhere: Elsewhere,
    worker: subprocess.Popen[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with OnDask(str(elsewhere.file), limits=LIMITS) as executor:
        assert executor.worker_count == 2
        assert (executor.dashboard_link or "").startswith("http://127.0.0.1:")
        jobs = [("return", 3), ("raise", "no"), ("exit", 3), ("crash_once", str(tmp_path / "x"))]
        assert [each[1] for each in outcomes(executor, jobs)] == [
            "done",
            "raised",
            "crashed",
            "done",
        ]
        address = executor.address
        (tmp_path / "meeting").mkdir()
        with OnDask(address) as same:
            assert same.worker_count == 2
            pids = [ended.result() for ended in same.run(meet, [str(tmp_path / "meeting")] * 2)]
            assert len(set(pids)) == 2
        monkeypatch.setattr(dask_cluster, "__version__", "9.9.9")
        with pytest.raises(
            ClusterProblem, match=r"has Poise 0.*; here it is 9.9.9. Install the same"
        ):
            OnDask(address)
    names = [each.cmdline() for each in psutil.Process(worker.pid).children(recursive=True)]
    assert names and not any("poise.execution.worker" in name for name in names)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_run_with_a_sentence(
    elsewhere: Elsewhere, worker: subprocess.Popen[bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    with OnDask(str(elsewhere.file)) as executor:
        ends = executor.run(behave, [("return", 1), *[("sleep", 30)] * 9])
        assert next(ends).result() == 1
        end(elsewhere.scheduler)
        with pytest.raises(ClusterProblem, match=r"does not answer any more .*Check that it still"):
            list(ends)
        with pytest.raises(ClusterProblem, match="does not answer any more"):
            list(executor.run(behave, [("return", 1)]))
    assert capfd.readouterr() == ("", "")


# What cannot be reached.


def test_an_address_where_nobody_answers_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_connection, "CONNECTING_S", 0.3)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ClusterProblem, match=f"No Dask scheduler answers at {address} .*Check"):
        OnDask(address)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("words", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_what_answers_but_is_no_scheduler_is_said_in_a_sentence(
    words: bytes, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_connection, "CONNECTING_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        others: list[socket.socket] = []

        def answer() -> None:
            others.append(server.accept()[0])
            others[-1].sendall(words)

        answering = threading.Thread(target=answer)
        answering.start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClusterProblem, match=r"No Dask scheduler answers at .*Check"):
            OnDask(address)
        answering.join()
        gc.collect()
        for other in others:
            other.close()
    assert capfd.readouterr() == ("", "")


def test_a_scheduler_file_that_never_comes_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dask_connection, "CONNECTING_S", 0.2)
    with pytest.raises(FileProblem, match=r"no such file.*dask scheduler --scheduler-file"):
        OnDask(str(tmp_path / "scheduler.json"))


@pytest.mark.parametrize("address", ["lcoal", "", "tcp://", "tcp://host:port"])
def test_an_address_that_is_none_says_what_one_looks_like(address: str) -> None:
    with pytest.raises(BadValue, match=r"'local', a scheduler such as tcp://host:8786"):
        OnDask(address)


def test_workers_and_dashboard_of_other_clusters_are_not_ours_to_say() -> None:
    with pytest.raises(BadValue, match="workers must be left to the cluster"):
        OnDask("tcp://127.0.0.1:1", workers=2)
    with pytest.raises(BadValue, match="dashboard must be left to the cluster"):
        OnDask("tcp://127.0.0.1:1", dashboard="8787")
    with pytest.raises(BadValue, match="workers must be at least 1"):
        OnDask("local", workers=0)


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'poise\[cluster\]'") as problem:
        OnDask("local")
    assert isinstance(problem.value, PoiseError)


def test_a_worker_that_comes_later_with_another_version_refuses(
    here: OnDask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "__version__", "9.9.9")
    said = r"The Dask worker at poise://.* cannot do jobs: it has Poise .*; they come from 9.9.9"
    with pytest.raises(ClusterProblem, match=said):
        list(here.run(behave, [("return", 1)]))


def test_dask_is_imported_only_when_it_is_used() -> None:
    code = "import sys, poise.execution, poise.execution.dask_cluster as d; d.OnDask; "
    code += "sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
