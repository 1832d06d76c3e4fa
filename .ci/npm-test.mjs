// The package for JavaScript from outside, in Node and in a bundled page: `globalThis.report` gets the outcome there.
import { Engine, RequestError } from "emilia-othello";

let count = 0;
function is(found, wanted, what) {
  count += 1;
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
}

async function fault(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

async function test() {
  const engine = await Engine.start();
  const answer = await engine.analyze({ position: "f5d6c3", depth: 8, best_moves: 2 });
  is([answer.moves.length, answer.partial ?? false, answer.depth === undefined || answer.depth >= 8], [2, false, true], "an answer");
  const solved = await engine.analyze({ position: "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", exact: true });
  is([solved.moves[0].move, solved.moves[0].score], ["g8", 18], "an exact score");

  const parts = [];
  for await (const part of engine.analyze({ position: "f5d6c3d3c4", seconds: 1, partial_every: 0.05 })) parts.push(part.partial ?? false);
  is([parts.slice(0, -1).every(Boolean), parts.at(-1)], [true, false], "partial answers, and the last one");

  const long = engine.analyze({ position: "f5", exact: true });
  setTimeout(() => long.cancel(), 300);
  const cancelled = await long;
  is([cancelled.cancelled, cancelled.moves.length], [true, 1], "a cancelled search has the result so far");
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  is((await engine.analyze({ position: "f5", exact: true }, { signal: controller.signal })).cancelled, true, "a signal cancels");
  const left = engine.analyze({ position: "f5", exact: true, partial_every: 0.05 });
  for await (const part of left) {
    is(part.partial, true, "a partial answer");
    break;
  }
  is((await left).cancelled, true, "a loop that is left cancels");

  const game = await engine.analyze({ game: "f5d6c3", depth: 4, losses: true });
  is(game.map((each) => each.turn), [0, 1, 2, 3], "all positions of a game");
  const refused = await fault(engine.analyze({ position: "f5f5", depth: 4 }));
  is([refused instanceof RequestError, refused.field, /occupied/.test(refused.message)], [true, "position", true], "a refused request");
  is((await fault((async () => { for await (const _ of engine.analyze({ position: "x9" })); })())).field, "position", "a loop fails, too");
  const [one, two] = await Promise.all(["f5d6", "f5f6"].map((position) => engine.analyze({ position, depth: 6 })));
  is([one.position === two.position, one.moves.length, two.moves.length], [false, 1, 1], "two requests at once");
  is((await engine.call("games", { text: "f5d6" })).games[0].moves, "f5d6", "a call");
  const late = engine.analyze({ position: "f5", exact: true });
  engine.close();
  is((await fault(late)).message, "the engine is closed", "a search of a closed engine");
  is(await fault((async () => engine.analyze({ position: "f5" }))()).then((error) => error.message), "the engine is closed", "a closed engine");
  return `${count} checks passed`;
}

const outcome = await test().catch((error) => `failed: ${error.stack ?? error}`);
console.log(outcome);
globalThis.report?.(outcome);
// The worker of a failed test still runs.
if (globalThis.process && outcome.startsWith("failed")) process.exit(1);
