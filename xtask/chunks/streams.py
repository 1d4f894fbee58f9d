"""Figures of `halidom stream`."""

import hashlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def memory(mib, kills):
    """`halidom stream` on an array of so many MiB: peak memory, time against a copy, and runs that
    are killed."""
    import zarr

    side = 8192
    rows = max(mib * (1 << 20) // side, 512)
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as place:
        folder = Path(place)
        store = zarr.create_array(
            str(folder / "in.zarr"), shape=(rows, side), chunks=(1024, 1024), dtype=np.uint8,
            compressors=None,
        )
        source = np.random.default_rng(1)
        for low in range(0, rows, 1024):
            high = min(low + 1024, rows)
            store[low:high] = source.integers(0, 256, (high - low, side), dtype=np.uint8)
        copies = [_copy(store, folder / "copy.zarr")]
        words = [
            sys.executable, "-m", "halidom", "stream",
            str(ROOT / "examples" / "chunks" / "filters.hal"), "-p", "gaussian", "-s", "rows",
            "--input", str(folder / "in.zarr"), "--memory", "512MB",
        ]
        variables = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        os.sync()
        begin = time.monotonic()
        run = subprocess.Popen([*words, "--output", str(folder / "a.zarr")], env=variables)
        peak = 0
        while run.poll() is None:
            peak = max(peak, tree(run.pid))
            time.sleep(0.02)
        spent = time.monotonic() - begin
        # The disk need not have room for more than two arrays.
        expected = _bytes_of(folder / "a.zarr")
        shutil.rmtree(folder / "a.zarr")
        copies.append(_copy(store, folder / "copy.zarr"))
        plain_copy = sum(copies) / 2
        journal = folder / ".b.zarr.halidom" / "journal"
        output = folder / "b.zarr"
        draw, before, hidden, done = random.Random(29), [], True, False
        for _ in range(kills):
            if output.exists():
                done = True
                break
            killed = subprocess.Popen(
                [*words, "--output", str(output)], env=variables, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            # Starting and compiling takes some of the time.
            end = time.monotonic() + 2 + draw.uniform(0, spent / kills * 1.5)
            while killed.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            hidden &= killed.poll() is not None or not output.exists()
            killed.kill()
            killed.wait()
            lines = journal.read_text().splitlines() if journal.exists() else []
            before.append(max(len(lines) - 1, 0))
        again = subprocess.run(
            [*words, "--output", str(output)], env=variables, capture_output=True, text=True
        )
        said = again.stdout.strip().rsplit(":", 1)[-1].strip()
        equal_bits = _bytes_of(output) == expected
    limit = 512 << 20
    print(
        f"stream: {rows * side >> 20} MiB of u8, gaussian, --memory 512MB: peak of the process "
        f"tree {peak >> 20} MiB ({peak / limit:.2f} of it), {spent:.1f} s; a copy in chunks before "
        f"{copies[0]:.1f} s, after {copies[1]:.1f} s ({spent / plain_copy:.2f} of their mean)"
    )
    print(
        f"  killed {len(before)} times, with {', '.join(map(str, before))} windows in the journal, "
        f"{'and no output' if hidden else 'and an output ALREADY'}; then: {said}; "
        f"{'the same bytes' if equal_bits else 'DIFFERENT bytes'}"
    )
    was_cut = len(before) == kills and not done and before[-1] > before[0] >= 0
    return run.returncode == 0 and peak <= 1.2 * limit and equal_bits and hidden and was_cut


def _copy(store, path):
    """The seconds that a copy of an array takes, chunk row by chunk row."""
    import zarr

    os.sync()
    begin = time.monotonic()
    copy = zarr.create_array(
        str(path), shape=store.shape, chunks=store.chunks, dtype=store.dtype, compressors=None
    )
    step = store.chunks[0]
    for low in range(0, store.shape[0], step):
        copy[low : low + step] = store[low : low + step]
    spent = time.monotonic() - begin
    shutil.rmtree(path)
    return spent


def _bytes_of(path):
    """The digest of an array's bytes, row by row."""
    import zarr

    array, found = zarr.open_array(str(path), mode="r"), hashlib.sha256()
    for low in range(0, array.shape[0], 1024):
        found.update(array[low : low + 1024])
    return found.hexdigest()


def tree(root):
    """The resident memory of a process and of all that it started."""
    total, page = 0, resource.getpagesize()
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path(f"/proc/{entry}/stat").read_text()
                parents[int(entry)] = int(text.rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                pass
    own, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in own} - own
        own |= more
        grown = bool(more)
    for pid in own:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
        except OSError:
            pass
    return total
