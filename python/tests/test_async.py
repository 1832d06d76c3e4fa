"""A task that is cancelled cancels its search, in each common way to use asyncio."""

import asyncio
import gc
import time
import unittest

from emilia_othello import Analysis, Cancelled, Engine, RequestError

#: Seconds that a search gets to begin.
SOON = 0.2


async def wait_for(start):
    with ended_by(asyncio.TimeoutError):
        await asyncio.wait_for(start(), SOON)


async def task_cancel(start):
    tasks = [asyncio.create_task(start()), asyncio.create_task(start())]
    await asyncio.sleep(SOON)
    tasks[0].cancel()
    tasks[1].cancel()
    await asyncio.wait(tasks)


async def cancel_before_the_first_step(start):
    task = asyncio.create_task(start())
    task.cancel()
    await asyncio.wait([task])


async def gather_with_a_failure(start):
    # The others go on, as `gather` has it, until the loop ends.
    with ended_by(RequestError):
        await asyncio.gather(start(), start(depth=99), start())


async def task_group(start):
    with ended_by(BaseException):
        async with asyncio.TaskGroup() as group:
            group.create_task(start())
            group.create_task(start())
            await asyncio.sleep(SOON)
            raise KeyError


async def timeout(start):
    with ended_by(asyncio.TimeoutError):
        async with asyncio.timeout(SOON):
            await start()


async def as_completed_and_break(start):
    # The loop ends with this function, and cancels the others.
    for first in asyncio.as_completed([start(), start(nodes=1000, depth=None), start()]):
        await first
        break


async def async_for_and_break(start):
    async for answer in start(partial_every=0.01):
        assert answer.partial
        break


async def shutdown_of_the_loop(start):
    asyncio.create_task(start())
    asyncio.ensure_future(start())
    await asyncio.sleep(SOON)


async def shield(start):
    search = start()
    with ended_by(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.shield(search), SOON)
    await asyncio.sleep(SOON)
    assert search._number in search._engine._stream._jobs, "it goes on until the loop ends"


async def to_thread(start):
    # A thread cannot be cancelled: what it waits for is.
    async def ask():
        with start() as search:
            return await asyncio.get_running_loop().run_in_executor(None, search.result)

    with ended_by(asyncio.TimeoutError):
        await asyncio.wait_for(ask(), SOON)


async def async_with(start):
    async with start() as search:
        assert search._number in search._engine._stream._jobs


PATTERNS = [
    wait_for, task_cancel, cancel_before_the_first_step, gather_with_a_failure, task_group, timeout,
    as_completed_and_break, async_for_and_break, shutdown_of_the_loop, shield, to_thread, async_with,
]  # fmt: skip
NEW = {task_group: "TaskGroup", timeout: "timeout"}


class ended_by:
    """A block that must end by this error."""

    def __init__(self, error):
        self.error = error

    def __enter__(self):
        pass

    def __exit__(self, kind, *_):
        assert kind is not None and issubclass(kind, self.error), kind
        return True


def was_cancelled(search):
    """Whether an endless search ends soon, marked as cancelled, while something still holds it."""
    try:
        return search.result(timeout=5).cancelled
    except Cancelled:
        return True
    except TimeoutError:
        return False


class Patterns(unittest.TestCase):
    def test_every_pattern_cancels_its_searches(self):
        for pattern in PATTERNS:
            if hasattr(asyncio, NEW.get(pattern, "run")):
                with self.subTest(pattern.__name__), Engine(jobs=2) as engine:
                    self.hold(engine, pattern)

    def hold(self, engine, pattern):
        held = []

        def start(**options):
            search = engine.start("f5", **{"depth": 60, **options})
            if options.get("depth") == 60 or "depth" not in options:
                held.append(search)
            return search

        asyncio.run(pattern(start))
        self.assertTrue(held and all([was_cancelled(search) for search in held]))
        self.assertEqual(engine.analyze("f5d6", depth=2, timeout=20).depth, 2)


class Sharing(unittest.TestCase):
    def test_a_search_goes_on_for_those_who_still_wait(self):
        async def ask(engine):
            search = engine.start("f5", seconds=1)
            tasks = [asyncio.create_task(search), asyncio.create_task(search), asyncio.ensure_future(search)]
            await asyncio.sleep(SOON)
            tasks[0].cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            self.assertIsInstance(found[0], asyncio.CancelledError)
            self.assertIsInstance(found[1], Analysis)
            self.assertEqual(found[1:], [await search, search.result()])
            self.assertFalse(found[1].cancelled)

        with Engine() as engine:
            asyncio.run(ask(engine))

    def test_many_answers_end_with_the_task(self):
        async def ask(engine):
            answers = engine.analyze(["f5"] * 20, depth=60)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(answers.__anext__(), SOON)
            self.assertTrue(all([answer.cancelled async for answer in answers]))

        with Engine() as engine:
            asyncio.run(ask(engine))
            with engine.analyze(["f5"] * 20, depth=60) as answers:
                answers._is_over()
            self.assertTrue(all(answer.cancelled for answer in answers))

    def test_an_engine_in_async_with_ends_its_threads(self):
        async def ask():
            async with Engine() as engine:
                loop = asyncio.get_running_loop()
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(loop.run_in_executor(None, lambda: engine.analyze("f5", depth=60)), SOON)

        begin = time.monotonic()
        asyncio.run(ask())
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_finished_task_leaves_no_reference(self):
        async def ask(engine):
            await asyncio.create_task(engine.start("f5", depth=1))
            del engine

        with Engine() as engine:
            asyncio.run(ask(engine))
            gc.collect()
            self.assertFalse(engine._stream._jobs)


if __name__ == "__main__":
    unittest.main()
