// A monkey on the page for browsers: presses, pastes, reloads and opens tabs, from a seed. Each game that was on a board is in the visible
// library at the end, unless the monkey deleted it, and no page has a fault. Usage: node .ci/web-monkey.mjs [SEED [STEPS [chromium|firefox]]].
import fs from "node:fs";
import { checks, holds, is, load, open, server, sleep, view } from "./web-tools.mjs";

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
const note = (/** @type {any} */ found) => { if (["play", "study"].includes(found.view) && found.moves) seen.add(found.moves); };

/** One act of the monkey in the page, by its number; answers with the game that the page shows. */
const act = (page, name, number, text) => page.evaluate(async (name, number, text) => {
  const pick = (all) => all[number % Math.max(1, all.length)];
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ctrlKey: key === "z" }));
  document.querySelector("dialog[open]")?.close("");
  if (name === "square") pick(document.querySelectorAll(".squares:not(.still) button.open"))?.click();
  if (name === "button") {
    pick([...document.querySelectorAll("main button, #said button")].filter((each) => {
      const isData = /^(Export|Import|Save|Copy|Analyze|Report on)/.test(each.textContent) || each.closest(".squares");
      return each.getBoundingClientRect().width > 0 && !each.disabled && !isData;
    }))?.click();
  }
  if (name === "paste") {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }
  if (name === "view") location.hash = `#${text}`;
  if (name === "key") press(text);
  await new Promise((resolve) => { setTimeout(resolve, 30); });
  const moves = [...document.querySelectorAll(".game-moves .sheet-moves > .mv")].map((each) => each.firstChild.textContent).filter((move) => move !== "pass").join("");
  return { view: document.body.dataset.view, moves };
}, name, number, text);
const KEYS = ["u", "n", "h", "f", "z", "End", "Home", "ArrowLeft", "ArrowRight", "Escape"];
const WEIGHTS = [...Array(14).fill("square"), ...Array(6).fill("button"), "paste", "paste", "view", "view", "view", "key", "key", "key", "key"];

const began = Date.now();
let done = 0;
for (; done < steps; done += 1) {
  if (process.env.SECONDS && Date.now() - began > 1000 * Number(process.env.SECONDS)) break;
  const at = random(pages.length);
  const page = pages[at];
  const dice = random(100);
  if (dice === 0) {
    await sleep(100);
    await load(page, form);
  } else if (dice === 1 && pages.length < 3) {
    pages.push(await tab());
    await load(pages.at(-1), form);
  } else if (dice === 2) await page.bringToFront();
  else {
    const name = one(WEIGHTS);
    note(await act(page, name, random(97), one({ paste: TEXTS, view: VIEWS, key: KEYS }[name] ?? [""])));
  }
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
