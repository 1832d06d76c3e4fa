// A monkey on the page for browsers: presses, pastes, reloads and opens tabs, from a seed. Each game that was on a board is in the visible
// library at the end, unless the monkey deleted it, and no page has a fault. Usage: node .ci/web-monkey.mjs [SEED [STEPS [chromium|firefox]]].
import fs from "node:fs";
import { checks, holds, is, load, open, paste, server, sleep, view } from "./web-tools.mjs";

const [seed, steps] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 2000)];
const form = process.env.FORM ?? "file";
let state = seed * 7919 + 1;
const random = (below) => {
  state = (state * 48271) % 2147483647;
  return state % below;
};
const one = (all) => all[random(all.length)];
const TEXTS = ["f5d6c3d3c4f4c5b3c2", "c4e3f6e6f5", "f5f6e6f4e3c5", "f5d6c4d3c5f4", "nonsense", "", "f5d6c3\nd3c4f4", "f5d6c3d3c9", "(;GM[2];B[f5];W[d6](;B[c3])(;B[c4]))"];
const VIEWS = ["play", "study", "report", "quiz", "library"];

const { browser, page: first, tab } = await open(form, 1280, "light", process.argv[4]);
const pages = [first];
await load(first, form);
/** The moves of the games that were on a board: the longest of each. */
const seen = new Set();

/** Notes the game on the board; its moves are those that the page shows. */
async function note(page) {
  const found = await page.evaluate(() => ({ view: document.body.dataset.view, moves: [...document.querySelectorAll(".game-moves .sheet-moves > .mv")].map((each) => each.firstChild.textContent).filter((move) => move !== "pass").join("") }));
  if (["play", "study"].includes(found.view) && found.moves) seen.add(found.moves);
}

const ACTS = {
  square: (page) => page.evaluate((at) => { const all = document.querySelectorAll(".squares:not(.still) button.open"); all[at % Math.max(1, all.length)]?.click(); }, random(20)),
  button: (page) => page.evaluate((at) => {
    const all = [...document.querySelectorAll("main button, #said button, dialog[open] button")].filter((each) => {
      const isData = /^(Export|Import|Save|Copy|Analyze|Report on)/.test(each.textContent) || each.closest(".squares");
      return each.getBoundingClientRect().width > 0 && !each.disabled && !isData;
    });
    all[at % Math.max(1, all.length)]?.click();
  }, random(97)),
  paste: (page) => paste(page, one(TEXTS)),
  view: (page) => view(page, one(VIEWS)).catch(() => {}),
  key: (page) => page.keyboard.press(one(["u", "n", "h", "f", "End", "Home", "ArrowLeft", "ArrowRight", "Escape"])),
  undo: async (page) => {
    await page.keyboard.down("Control");
    await page.keyboard.press("z");
    await page.keyboard.up("Control");
  },
};
const WEIGHTS = [...Array(14).fill("square"), ...Array(6).fill("button"), "paste", "paste", "view", "view", "view", "key", "key", "key", "undo"];

const began = Date.now();
let done = 0;
for (; done < steps; done += 1) {
  if (process.env.SECONDS && Date.now() - began > 1000 * Number(process.env.SECONDS)) break;
  const at = random(pages.length);
  const page = pages[at];
  const dice = random(100);
  if (dice === 0) {
    await note(page);
    await sleep(100);
    await load(page, form);
  } else if (dice === 1 && pages.length < 3) {
    pages.push(await tab());
    await load(pages.at(-1), form);
  } else if (dice === 2) await page.bringToFront();
  else {
    const act = one(WEIGHTS);
    await page.evaluate(() => { if (document.querySelector("dialog[open]")) document.querySelector("dialog[open]").close(""); });
    await ACTS[act](page);
  }
  await sleep(30);
  await note(page);
}

await sleep(1000);
for (const page of pages) is(page.faults, [], "the console is empty");
await load(first, form);
await view(first, "library");
const all = await first.evaluate(() => new Promise((resolve) => {
  indexedDB.open("emilia").onsuccess = ({ target }) => {
    target.result.transaction("games").objectStore("games").getAll().onsuccess = (found) => resolve(found.target.result.map(({ id, ggf, sgf, deleted }) => ({ id, deleted: Boolean(deleted), text: (sgf ?? ggf).toLowerCase() })));
  };
}));
const kept = all.filter(({ deleted }) => !deleted);
is(Number((await first.$eval(".sum", (each) => each.textContent)).match(/of (\d+)/)?.[1] ?? 0), kept.length, "the visible library has every game");
/** All lines of a game of the library, as moves. */
function lines(text) {
  const found = [];
  const open = [];
  let moves = "";
  for (const [, sign, move] of text.matchAll(/([()])|[;\]][bw]\[([a-h][1-8]|pa)?/g)) {
    if (sign === "(") open.push(moves);
    else if (sign === ")") {
      found.push(moves);
      moves = open.pop() ?? "";
    } else moves += move && move !== "pa" ? move : "";
  }
  return found;
}
// The monkey may delete games; the mark keeps their moves.
const known = all.flatMap(({ text }) => lines(text));
const lost = [...seen].filter((moves) => !known.some((line) => line.startsWith(moves)));
is(lost, [], `${seen.size} boards were shown`);
holds(kept.length > 0, "games");
await browser.close();
fs.rmSync(first.downloads, { recursive: true, force: true });
server.close();
console.log(`seed ${seed}: ${done} steps, ${pages.length} tabs, ${seen.size} boards, ${kept.length} games; ${checks.count} checks passed`);
