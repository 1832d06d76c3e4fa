// Compares the module with the native program: the same tree, the same solves, and the speed of both.
// Usage: node .ci/web-bench.mjs MODULE [PROGRAM]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { load } from "../src/web/glue.mjs";

const [path, program] = process.argv.slice(2);
const answers = [];
let begin = performance.now();
const engine = await load(readFileSync(path), (line) => answers.push(JSON.parse(line)));
const compiled = performance.now() - begin;
if (!engine.start(64)) throw new Error("memory is short");
const ready = performance.now() - begin;
engine.send({ call: "version" });
const { kernel } = answers.pop();
const mib = (engine.size() / 2 ** 20).toFixed(0);
console.log(`${kernel}: compiled in ${compiled.toFixed(0)} ms, ready after ${ready.toFixed(0)} ms, ${mib} MiB`);

const order = (a, b) => a.id - b.id || (a.turn ?? 0) - (b.turn ?? 0);

/** The answers to these requests and the seconds that they took. */
function ask(requests) {
  answers.length = 0;
  requests.forEach((request, id) => engine.send({ id, ...request }));
  begin = performance.now();
  while (engine.run()) {}
  const fault = answers.find((answer) => answer.error || answer.panic);
  if (fault) throw new Error(JSON.stringify(fault));
  return { answers: [...answers].sort(order), seconds: (performance.now() - begin) / 1000 };
}

/** The same by the program. */
function native(requests) {
  const input = requests.map((request, id) => JSON.stringify({ id, ...request })).join("\n") + "\n";
  const output = execFileSync(program, ["analyze", "--hash", "64"], { input, maxBuffer: 2 ** 28 });
  const lines = output.toString().trim().split("\n").map((line) => JSON.parse(line));
  return { answers: lines.sort(order), seconds: lines.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) };
}

const source = readFileSync(new URL("../engine/src/search/bench.rs", import.meta.url), "utf8");
const positions = [...source.matchAll(/^ {4}"([-XO]{64} [XO])",$/gm)].map((match) => match[1]);
const nodes = (answers) => answers.reduce((sum, answer) => sum + answer.nodes, 0);
let failures = 0;

/** Compares all answers, then the speed: the best of three rounds, in turns. */
function compare(name, requests, fields) {
  const web = ask(requests);
  let line = `${name}: ${nodes(web.answers)} nodes`;
  if (program) {
    const own = native(requests);
    const shown = (answer) => JSON.stringify(fields.map((field) => answer[field]));
    const wrong = web.answers.filter((answer, at) => shown(answer) !== shown(own.answers[at]));
    wrong.slice(0, 3).forEach((answer) => console.log("differs:", shown(answer), shown(own.answers[web.answers.indexOf(answer)])));
    failures += wrong.length;
    for (let round = 0; round < 2; round += 1) {
      web.seconds = Math.min(web.seconds, ask(requests).seconds);
      own.seconds = Math.min(own.seconds, native(requests).seconds);
    }
    const ratio = (web.seconds / own.seconds).toFixed(2);
    line += `, ${wrong.length} of ${web.answers.length} differ; native ${own.seconds.toFixed(2)} s, ${ratio} times as long:`;
  }
  console.log(`${line} ${web.seconds.toFixed(2)} s`);
}

/** Random moves from the start until `empties` squares are empty or the game is over. */
function randomGame(seed, empties) {
  let [moves, random] = ["", seed * 7919 + 1];
  for (;;) {
    engine.send({ call: "games", text: moves || "---------------------------OX------XO--------------------------- X" });
    const game = answers.pop().games[0];
    const { board, side, legal } = game.positions.at(-1);
    if (!side || board.split("-").length - 1 <= empties) return { moves, position: `${board} ${side === "black" ? "X" : "O"}` };
    random = (random * 48271) % 2147483647;
    moves += legal.length ? legal[random % legal.length] : "pa";
  }
}

const fields = ["turn", "nodes", "score", "depth", "exact", "selectivity", "moves", "played"];
engine.send({ bench: positions });
const { bench } = answers.pop();
const log = execFileSync("git", ["log", "-1", "--format=%B"]).toString();
const expected = Number(log.match(/^Bench: (\d+)$/m)?.[1] ?? bench);
console.log(`Bench: ${bench}${bench === expected ? "" : `, expected ${expected}`}`);
failures += bench === expected ? 0 : 1;
const range = (count, item) => Array.from({ length: count }, (_, at) => item(at));
compare("20 games, depth 8", range(20, (seed) => ({ game: randomGame(seed, 0).moves, depth: 8 })), fields);
compare("midgame, depth 16", positions.slice(2, 14).map((position) => ({ position, depth: 16 })), fields);
compare("moves of people", positions.map((position, seed) => ({ position, person: 1450, seed })), fields);
compare("200 solves, 16 empties", range(200, (seed) => ({ position: randomGame(seed, 16).position, exact: true })), fields);
compare("20 solves, 20 empties", range(20, (seed) => ({ position: randomGame(seed, 20).position, exact: true })), fields);
process.exitCode = failures === 0 ? 0 : 1;
