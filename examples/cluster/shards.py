"""A job as a manifest of shards in a folder or object store, and the work on one shard.

    python shards.py plan JOB --input requests.jsonl -- analyze --reproducible --depth 8
    python shards.py work JOB --emilia ./emilia --part 1/100     one worker of a job array
    python shards.py status JOB [--verify]                       what is done; exit code 0 once all is

JOB, the input and the output are URLs that fsspec knows: a folder, s3://bucket/job. The manifest is a folder:

    job.json                   the command, and how outputs are named: the digits of shard numbers, the ending
    made_by.json               version and weights of the program that finished the first shard
    shards.jsonl               a line a shard: number, input, offset, length, checksum, first line, lines
    attempts/RUN/000012-1.json an attempt at shard 12 in a run: who began it when, and why it failed
    output/000012.jsonl.gz     what the shard gave
    done/000012.json           written last: the summary of the shard. Without it a shard is missing

Dask, Ray and Spark are given shards as numbers and offsets; their workers read the input and write the output themselves.
"""

import argparse
import collections
import functools
import gzip
import io
import itertools
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time
import zlib

import fsspec
from fsspec.implementations.local import LocalFileSystem

PACKED = ".gz"
# How often a store is asked again, and after how many seconds.
STORE_TRIES, STORE_WAIT = 5, 0.2
# Records and outputs that are read at once.
RECORDS, OUTPUTS = 1000, 50


def again(call, *args, **options):
    """What the call gives; a store that fails now and then is asked again."""
    for left in reversed(range(STORE_TRIES)):
        try:
            return call(*args, **options)
        except FileNotFoundError:
            raise
        except Exception:
            if left == 0:
                raise
            time.sleep(STORE_WAIT * 2 ** (STORE_TRIES - left) * random.uniform(0.5, 1))


class Spent(Exception):
    """A shard has no attempt left."""


class Damaged(Exception):
    """A shard's output or record is not what it was."""


def text_of(name, data):
    """The text of an output or input, unpacked."""
    return gzip.decompress(data) if name.endswith(".gz") else data


def crc32(data):
    return f"{zlib.crc32(data):08x}"


def maker(summary):
    """Version and weights that made a shard; None if its command writes no summary."""
    return tuple(summary[name] for name in ("version", "weights")) if "version" in summary else None


class Job:
    """The manifest. All of it lies in the store, so that any process can go on with it."""

    def __init__(self, url, again=again):
        self.url, self.again = url, again
        self.fs, self.root = fsspec.core.url_to_fs(url, use_listings_cache=False)

    def path(self, *names):
        return "/".join([self.root.rstrip("/"), *names])

    def write(self, data, *names):
        """Writes an object that is there whole or not at all."""

        path = self.path(*names)

        def put():
            if not isinstance(self.fs, LocalFileSystem):
                return self.fs.pipe_file(path, data)
            # Stores put objects whole; a folder needs a name to write under.
            growing = f"{path}.{os.getpid()}-{random.randrange(16**8):08x}.tmp"
            self.fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            with self.fs.open(growing, "wb") as file:
                file.write(data)
            os.replace(growing, path)

        self.again(put)

    def write_json(self, value, *names):
        self.write((json.dumps(value) + "\n").encode(), *names)

    def read_json(self, *names):
        return json.loads(self.again(self.fs.cat_file, self.path(*names)))

    def names(self, *folder):
        """The objects of a folder."""
        try:
            found = self.again(self.fs.ls, self.path(*folder), detail=False)
        except FileNotFoundError:
            return []
        return sorted(path.rsplit("/", 1)[-1] for path in found if path.endswith(".json"))

    def plan(self, shards, command, ending):
        """Writes the manifest: the shards first, so that job.json stands for all of it."""
        if self.fs.exists(self.path("job.json")):
            raise SystemExit(f"{self.url}: a job is there already")
        lines, count = io.BytesIO(), 0
        for count, shard in enumerate(shards, 1):
            lines.write((json.dumps(shard) + "\n").encode())
        if count == 0:
            raise SystemExit(f"{self.url}: no shards: --input found no lines, and --parts is not given")
        self.write(lines.getvalue(), "shards.jsonl")
        digits = max(6, len(str(count)))
        self.write_json({"command": command, "ending": ending, "digits": digits, "shards": count}, "job.json")
        return count

    @functools.cached_property
    def settings(self):
        try:
            return self.read_json("job.json")
        except FileNotFoundError:
            raise SystemExit(f"{self.url}: no job is there: make one by shards.py plan") from None

    def name(self, number):
        """The number of a shard in names of objects: as many digits for all shards of the job."""
        return f"{number:0{self.settings.get('digits', 6)}}"

    def shards(self, wanted=lambda number: True):
        """The shards whose numbers are wanted."""
        lines = io.BytesIO(self.again(self.fs.cat_file, self.path("shards.jsonl")))
        return (json.loads(line) for number, line in enumerate(lines, 1) if wanted(number))

    def done(self):
        """The numbers of the shards that are done."""
        return {int(name.split(".")[0]) for name in self.names("done")}

    def is_done(self, number):
        return self.again(self.fs.exists, self.path("done", f"{self.name(number)}.json"))

    def begin(self, run, number, limit):
        """Notes an attempt; one whose worker died without a word counts, too."""
        for attempt in range(1, limit + 1):
            names = "attempts", run, f"{self.name(number)}-{attempt}.json"
            if not self.again(self.fs.exists, self.path(*names)):
                self.write_json({"worker": f"{socket.gethostname()}:{os.getpid()}", "begun": time.time()}, *names)
                return attempt
        raise Spent(f"{limit} attempts")

    def fail(self, run, number, attempt, error):
        self.write_json(
            {"worker": f"{socket.gethostname()}:{os.getpid()}", "failed": time.time(), "error": error},
            *("attempts", run, f"{self.name(number)}-{attempt}.json"),
        )

    def finish(self, number, output, summary):
        """Writes what a shard gave, then that it is done. Twice is as good as once: the output is the same."""
        name = self.name(number) + self.settings["ending"]
        summary = {"output_crc32": crc32(text_of(name, output)), **summary, "bytes": len(output), "object": name}
        self.checked(number, summary, output)
        self.agree(maker(summary))
        self.write(output, "output", name)
        self.write_json(summary, "done", f"{self.name(number)}.json")

    def agree(self, by):
        """Refuses another version or other weights than those of the shards before."""
        if by is None:
            return
        first = self.first_maker()
        if first is None:
            self.write_json(by, "made_by.json")
        elif by != first:
            raise Spent(f"made by {' with '.join(by)}, but the shards before by {' with '.join(first)}: give all workers that program")

    def first_maker(self):
        """Version and weights that finished the first shard; None if there is no such shard."""
        try:
            return tuple(self.read_json("made_by.json"))
        except FileNotFoundError:
            # A job from before made_by.json.
            return next((maker(summary) for _, summary, _ in self.records() if summary), None)

    def errors(self, run):
        """The last attempts at each shard in a run: what failed, or that the worker was lost."""
        last = {int(name.split("-")[0]): name for name in self.names("attempts", run)}
        found = {number: self.read_json("attempts", run, name) for number, name in last.items()}
        return {number: attempt.get("error", "its worker was lost") for number, attempt in found.items()}

    def cat(self, paths):
        """The objects; what failed for those that cannot be read."""
        return self.again(self.fs.cat, paths, on_error="return")

    def records(self):
        """Number, summary and fault of each shard that is done; one of the two is None."""
        names = iter(self.names("done"))
        while some := list(itertools.islice(names, RECORDS)):
            found = self.cat([self.path("done", name) for name in some])
            for name in some:
                number = int(name.split(".")[0])
                try:
                    summary = json.loads(found[self.path("done", name)])
                    if summary["object"] != self.name(number) + self.settings["ending"]:
                        raise ValueError(f"it names {summary['object']}")
                    yield number, summary, None
                except Exception as error:
                    yield number, None, f"shard {number}: done/{name} is not its record: {error}"

    def outputs(self):
        """Number, summary, text and fault of each shard that is done. Each output is compared with its record."""
        records = self.records()
        while some := list(itertools.islice(records, OUTPUTS)):
            path = lambda summary: self.path("output", summary["object"])
            found = self.cat([path(summary) for _, summary, _ in some if summary])
            for number, summary, fault in some:
                try:
                    text = None if fault else self.checked(number, summary, found[path(summary)])
                    yield number, summary, text, fault
                except Damaged as error:
                    yield number, summary, None, f"{error}"

    def checked(self, number, summary, output):
        """The text of an output that has the bytes and the checksum of its record."""
        place = f"shard {number}: output/{summary['object']}"
        if isinstance(output, Exception):
            raise Damaged(f"{place} cannot be read: {type(output).__name__}")
        if len(output) != summary["bytes"]:
            raise Damaged(f"{place} has {len(output)} bytes, its record {summary['bytes']}")
        try:
            text = text_of(summary["object"], output)
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(f"{place} cannot be unpacked: {error}") from None
        if crc32(text) != summary.get("output_crc32", crc32(text)):
            raise Damaged(f"{place} has the checksum {crc32(text)}, its record {summary['output_crc32']}")
        return text

    def report(self, run=None, verify=False):
        """What is done, damaged and missing, all together. `verify` reads the outputs, and drops the records of damaged
        shards, so that the next run does these again."""
        total = dict.fromkeys(("positions", "resumed", "errors", "nodes", "bytes"), 0)
        done, seconds, faults, damaged, makers = set(), 0.0, [], {}, collections.defaultdict(list)
        for number, summary, *_, fault in self.outputs() if verify else self.records():
            if fault:
                damaged[number] = fault
                continue
            done.add(number)
            seconds += summary.get("seconds", 0)
            faults += summary.get("faults", [])[: 10 - len(faults)]
            makers[maker(summary)].append(number)
            for name in total:
                total[name] += summary.get(name, 0)
        if len(makers) > 1:
            first = self.first_maker()
            for by, numbers in makers.items():
                if by != first:
                    damaged.update((number, f"shard {number}: made by {by}, others by {first}") for number in numbers)
        done -= damaged.keys()
        if verify:
            for number in damaged:
                self.again(self.fs.rm_file, self.path("done", f"{self.name(number)}.json"))
        missing = [number for number in range(1, self.settings["shards"] + 1) if number not in done]
        errors = self.errors(run) if run and missing else {}
        failed = {number: errors[number] for number in missing if number in errors}
        return {"shards": self.settings["shards"], "done": len(done), "missing": len(missing), **total, "seconds": seconds,
                "faults": faults, "failed": failed, "damaged": damaged}


def pieces(urls, lines):
    """The shards of some inputs: so many lines of a file each; packed files are shards as they are."""
    number = 0
    for pattern in urls:
        for file in fsspec.open_files(pattern):
            path = file.full_name
            if path.endswith(PACKED):
                number += 1
                yield {"shard": number, "input": path, "offset": 0, "length": None, "crc32": None, "line": 1, "lines": None}
                continue
            begin, first = 0, 1
            with fsspec.open(path, "rb") as text:
                while some := list(itertools.islice(text, lines)):
                    number += 1
                    piece = b"".join(some)
                    yield {"shard": number, "input": path, "offset": begin, "length": len(piece), "crc32": crc32(piece),
                           "line": first, "lines": len(some)}
                    begin, first = begin + len(piece), first + len(some)


def read(shard):
    """The bytes of a shard's input, which must be those of the plan."""
    fs, path = fsspec.core.url_to_fs(shard["input"])
    begin, length = shard["offset"], shard["length"]
    data = again(fs.cat_file, path, start=begin, end=None if length is None else begin + length)
    if shard.get("crc32") not in (None, crc32(data)):
        raise Spent(f"{shard['input']}, line {shard['line']}: the input changed since the plan: restore it or plan a new job")
    return data


def command_of(job, emilia, shard, output):
    """The command line of a shard."""
    command = [emilia, *job.settings["command"]]
    if shard["input"] is None:
        command += ["--shard", f"{shard['shard']}/{job.settings['shards']}"]
    elif shard["line"] > 1:
        command += ["--first-line", str(shard["line"])]
    return [*command, "-o", str(output), "--resume"]


def run_engine(job, emilia, shard, scratch):
    """Runs the program on a shard; the output and its summary. An attempt goes on where the one before it failed."""
    output = pathlib.Path(scratch) / (job.name(shard["shard"]) + job.settings["ending"])
    command = command_of(job, emilia, shard, output)
    text = None if shard["input"] is None else read(shard)
    begun = time.time()
    # No settings file of the user changes the answers.
    environment = {"EMILIA_CONFIG": "", **os.environ}
    ended = subprocess.run(command, input=text, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    beside = pathlib.Path(f"{output}.summary.json")
    # Faulty requests give exit code 1 and a complete output.
    has_faults = ended.returncode == 1 and beside.exists() and json.loads(beside.read_text())["errors"] > 0
    if ended.returncode != 0 and not has_faults:
        told = ended.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {ended.returncode}"]
        raise RuntimeError(told[-1])
    summary = {"seconds": time.time() - begun}
    if beside.exists():
        summary = json.loads(beside.read_text())
        asked = shard.get("lines") and sum(1 for line in text.splitlines() if line.strip())
        if asked and summary["requests"] != asked:
            raise RuntimeError(f"{summary['requests']} of {asked} requests were read")
    return output.read_bytes(), summary


def work(url, emilia, run, limit, shard):
    """Does a shard, and tells how it ended. It raises nothing: what cannot be done is listed, and the rest goes on."""
    number = shard["shard"]
    try:
        job = Job(url)
        with tempfile.TemporaryDirectory(prefix="emilia-") as scratch:
            while not job.is_done(number):
                attempt = job.begin(run, number, limit)
                try:
                    output, summary = run_engine(job, emilia, shard, scratch)
                    job.finish(number, output, summary)
                except Spent as error:
                    job.fail(run, number, attempt, f"{error}")
                    raise
                except Exception as error:
                    job.fail(run, number, attempt, f"{error}")
                    time.sleep(random.uniform(0, STORE_WAIT * 2**attempt))
        return {"shard": number, "done": True}
    except Exception as error:
        return {"shard": number, "done": False, "error": f"{type(error).__name__}: {error}"}


def told(seconds):
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


def follow(outcomes, total, every=5.0):
    """Tells how far the job is, and when it will end."""
    begun = last = time.time()
    done = failed = 0
    for outcome in outcomes:
        done, failed = done + outcome["done"], failed + (not outcome["done"])
        now = time.time()
        if now - last >= every or done + failed == total:
            last, rest = now, (now - begun) / (done + failed) * (total - done - failed)
            print(f"{done} of {total} shards done, {failed} failed, {told(now - begun)} gone, {told(rest)} to go", file=sys.stderr)


def drive(url, emilia, limit, run_shards, mine=lambda number: True):
    """Does what is missing of a job, or of a part of it. `run_shards` takes the function and the shards, and yields how
    each ended."""
    job = Job(url)
    # Workers may run in another folder.
    url = job.root if type(job.fs) is LocalFileSystem else url
    emilia = os.path.abspath(emilia) if os.path.exists(emilia) else emilia
    run = f"{time.strftime('%Y%m%d-%H%M%S')}-{random.randrange(16**4):04x}"
    done = job.done()
    missing = {number for number in range(1, job.settings["shards"] + 1) if mine(number) and number not in done}
    print(f"{len(missing)} of {job.settings['shards']} shards to do", file=sys.stderr)
    try:
        follow(run_shards(functools.partial(work, url, emilia, run, limit), job.shards(missing.__contains__)), len(missing))
    except Exception as error:
        print(f"the cluster gave up: {type(error).__name__}: {error}", file=sys.stderr)
    report = job.report(run)
    print(json.dumps(report))
    return 1 if missing - job.done() or report["damaged"] else 0


def main(doc, run, options=lambda parser: None):
    """The command line of a script for one kind of cluster."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", help="folder or URL of the job, which shards.py plan has made")
    parser.add_argument("--emilia", required=True, help="path of the program on the workers")
    parser.add_argument("--attempts", type=int, default=3, help="at each shard, before it is given up and listed")
    parser.add_argument("--workers", type=int, default=2, help="of a cluster of our own on this machine")
    parser.add_argument("--ahead", type=int, default=1000, help="shards that the cluster is given before some are done")
    options(parser)
    args = parser.parse_args()
    sys.exit(drive(args.job, args.emilia, args.attempts, functools.partial(run, args)))


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def part(text):
    index, count = text.split("/")
    return int(index) % positive(count), int(count)


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    plan = commands.add_parser("plan", help="write the manifest of a job")
    plan.add_argument("job")
    plan.add_argument("--input", nargs="+", default=[], help="files of requests, * allowed; .gz are shards as they are")
    plan.add_argument("--lines", type=positive, default=10_000, help="lines of a shard")
    plan.add_argument("--parts", type=positive, help="instead of input: so many parts of a command that takes --shard")
    plan.add_argument("--ending", default=".jsonl.gz", help="of the outputs")
    plan.add_argument("command", nargs="+", help="the command after --, without the program: analyze --depth 8")
    worker = commands.add_parser("work", help="do part I of N of the shards, one after another")
    worker.add_argument("job")
    worker.add_argument("--emilia", required=True)
    worker.add_argument("--attempts", type=int, default=3)
    worker.add_argument("--part", type=part, default=(0, 1), metavar="I/N")
    status = commands.add_parser("status", help="what is done")
    status.add_argument("job")
    status.add_argument("--verify", action="store_true", help="read all outputs, list damaged shards and let the next run do them again")
    args = parser.parse_args()
    if args.what == "plan":
        parts = ({"shard": number + 1, "input": None} for number in range(args.parts or 0))
        shards = parts if args.parts else pieces(args.input, args.lines)
        print(f"{Job(args.job).plan(shards, args.command, args.ending)} shards")
    elif args.what == "work":
        index, count = args.part
        sys.exit(drive(args.job, args.emilia, args.attempts, map, lambda number: number % count == index))
    else:
        report = Job(args.job).report(verify=args.verify)
        print(json.dumps(report))
        sys.exit(1 if report["missing"] else 0)


if __name__ == "__main__":
    command_line()
