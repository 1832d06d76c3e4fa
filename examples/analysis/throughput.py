"""Streams requests through `emilia analyze` and through NBoard, and checks what comes back.

    python throughput.py /path/to/emilia [COUNT] [DEPTH]

Every request must be answered once, under its id, within the memory that is stated. Prints requests per second and
peak memory, for one and two threads, and for a loop over NBoard that sends a game and a hint for each position.
"""

import json
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parent.parent / "cluster"))
from make_requests import flips, position

# Stated for two threads: weights, a table of 16 MiB for each thread, and the queue.
MEMORY_MIB = 128


def peak_mib(process):
    """The most memory that a process has held so far, or None where the system does not tell."""
    try:
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def analyze(emilia, positions, count, depth, threads):
    """Seconds and memory for so many requests; the answers are read while requests are written."""
    command = [emilia, "analyze", "--no-book", "--depth", str(depth), "--jobs", str(threads)]
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send():
        for number in range(count):
            request = {"id": number, "position": positions[number % len(positions)]}
            engine.stdin.write(json.dumps(request) + "\n")
        engine.stdin.flush()

    begin = time.monotonic()
    sender = threading.Thread(target=send)
    sender.start()
    open_ids = set(range(count))
    for _ in range(count):
        answer = json.loads(engine.stdout.readline())
        assert "score" in answer, answer
        open_ids.remove(answer["id"])
    seconds = time.monotonic() - begin
    sender.join()
    memory = peak_mib(engine)
    engine.stdin.close()
    assert engine.stdout.read() == "", "there is one answer to each request"
    assert engine.wait() == 0 and not open_ids, open_ids
    assert memory is None or memory <= MEMORY_MIB, f"{memory} MiB"
    return seconds, memory


def nboard(emilia, positions, count, depth):
    """The same over NBoard: for each position a game, a hint, and a ping that tells when it is over."""
    command = [emilia, "nboard", "--no-book", "--batch"]
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    engine.stdin.write(f"nboard 2\nset depth {depth}\n")
    begin = time.monotonic()
    for number in range(count):
        board, side = positions[number % len(positions)].replace("X", "*").split()
        engine.stdin.write(f"set game (;GM[Othello]PC[x]TY[8]BO[8 {board} {side}];)\nhint 1\nping {number}\n")
        engine.stdin.flush()
        hinted = False
        while (line := engine.stdout.readline().strip()) != f"pong {number}":
            hinted |= line.startswith("search ")
        assert hinted, f"no hint for {board}"
    seconds = time.monotonic() - begin
    engine.stdin.close()
    engine.stdout.read()
    assert engine.wait() == 0
    return seconds, None


def main():
    emilia = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    depth = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(1)
    positions = [position(rng, rng.randint(4, 40)) for _ in range(2000)]
    # A side that must pass has no move to hint.
    positions = [text for text in positions if any(flips(text[:64], text[65], square) for square in range(64))]
    runs = [
        ("analyze, 1 thread", count, lambda n: analyze(emilia, positions, n, depth, 1)),
        ("analyze, 2 threads", count, lambda n: analyze(emilia, positions, n, depth, 2)),
        ("NBoard loop", max(1, count // 10), lambda n: nboard(emilia, positions, n, depth)),
    ]
    for name, number, run in runs:
        seconds, memory = run(number)
        held = f"{memory:6.0f} MiB" if memory else ""
        print(f"{name:20} {number:7} requests {number / seconds:8.0f}/s {held}", flush=True)


if __name__ == "__main__":
    main()
