"""Measure loading, schema and reading on a server of their own (``make bench``); some ten minutes.

The other scripts of this folder need a data set or recorded answers and are run one by one; each says how.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from lfx_neo4j_graphrag.local import server

HERE = Path(__file__).parent
RUNS = (
    ("run_load.py", "--rows", "100000"),
    ("run_schema.py", "load", "1000000"),
    ("run_schema.py", "run"),
    ("run_reading.py",),
)
# Only this machine can connect, and the folder is gone afterwards; the scripts log in as nobody.
SETTINGS = {"dbms.security.auth_enabled": "false", "db.memory.transaction.max": "0"}


def main() -> None:
    """Run each script in turn; stops at the first that fails."""
    with tempfile.TemporaryDirectory() as name:
        started = server.start(Path(name), settings=SETTINGS, java_options=["-Xmx2g"])
        try:
            for script, *arguments in RUNS:
                print(f"\n== {script} {' '.join(arguments)}", flush=True)
                subprocess.run([sys.executable, str(HERE / script), *arguments, "--uri", started.connection.uri], check=True)
        finally:
            server.stop(Path(name))


if __name__ == "__main__":
    main()
