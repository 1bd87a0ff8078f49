"""A PostgreSQL of a test's own: Debian's package in a temporary directory, on a unix socket only,
run by an ordinary user."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

START_SECONDS = 120


def programs():
    """The directory of initdb and postgres, or None."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Postgres:
    def __init__(self):
        # The path of the socket has to be short.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="duel-pg-", dir="/tmp"))
        self.data = self.directory / "data"
        self.user = None
        self.process = None
        if os.geteuid() == 0:
            self.user = pwd.getpwnam("nobody")
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        command = [
            str(programs() / "initdb"), "-D", str(self.data), "-U", "duel", "-A", "trust",
            "--no-sync", "--no-instructions", "--locale=C", "-E", "UTF8",
        ]
        self._popen(command).wait()
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.directory}'\n"
                "shared_buffers = 16MB\nmax_connections = 100\nlog_min_messages = fatal\n"
            )
        self.start()
        self.sql("CREATE DATABASE served", "postgres")

    @property
    def location(self):
        return f"postgresql://duel@/served?host={self.directory}"

    def _popen(self, command):
        def become():
            if self.user is not None:
                os.setgroups([])
                os.setgid(self.user.pw_gid)
                os.setuid(self.user.pw_uid)

        with open(self.directory / "output", "ab") as output:
            return subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                cwd=self.directory,
                start_new_session=True,
                preexec_fn=become,
            )

    def start(self):
        end = time.monotonic() + START_SECONDS
        while True:
            self.process = self._popen([str(programs() / "postgres"), "-D", str(self.data)])
            while self.process.poll() is None:
                if self._psql("SELECT 1", "postgres").returncode == 0:
                    return
                time.sleep(0.02)
            # What a killed server left behind may need a moment to go.
            if time.monotonic() > end:
                raise RuntimeError((self.directory / "output").read_text(errors="replace"))
            time.sleep(0.1)

    def _psql(self, sql, database):
        where = f"postgresql://duel@/{database}?host={self.directory}"
        command = [str(programs() / "psql"), "-XqAt", "-d", where, "-c", sql]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def sql(self, text, database="served"):
        done = self._psql(text, database)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def cut_connections(self):
        """In whatever they are doing: in the middle of a commit, too."""
        self._psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = 'served'",
            "postgres",
        )

    def _signal(self, number):
        # Each of its processes leads a group of its own.
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True,
            check=False,
        ).stdout.split()
        for pid in [str(self.process.pid), *children]:
            try:
                os.kill(int(pid), number)
            except ProcessLookupError:
                pass

    def pause(self):
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def kill(self):
        """All of it at once: what was not written to its log is lost."""
        self._signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self._signal(signal.SIGCONT)
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
