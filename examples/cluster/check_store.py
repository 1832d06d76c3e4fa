"""A store for check.sh: a folder that refuses every tenth write. `flaky://` means it where this folder is on PYTHONPATH."""

import os

from fsspec.implementations.local import LocalFileSystem


class Flaky(LocalFileSystem):
    protocol = "flaky"
    writes = 0

    def _open(self, path, mode="rb", **options):
        if "w" in mode:
            Flaky.writes += 1
            if Flaky.writes % 10 == 0:
                with open(os.environ["FLAKY_LOG"], "a") as log:
                    log.write("refused\n")
                raise OSError("the store is busy")
        return super()._open(path, mode, **options)
