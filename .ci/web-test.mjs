// Uses the page for browsers as a person would: plays, opens twelve notations, studies, analyzes, does a quiz, reloads, changes the
// language. Usage: node .ci/web-test.mjs [FORMS], by default all, in the folder of web-tools.mjs: the file and
// the folder on a host, at two widths, in both themes, and the times and the memory of both; these have limits that only a calm machine meets.
// Screenshots stay in target/browser. Needs npm and Chromium (or CHROMIUM=/path).
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { FORMS, HtmlValidate, checks, click, count, discsOn, drop, folder, holds, host, is, load, looksRight, open, out, paste, press, root, saved, server, sleep, text, view } from "./web-tools.mjs";

/** The same game in each notation; a position has no moves. */
const FORMATS = {
  moves: "f5d6c3d3c4f4c5b3c2",
  ggf: "(;GM[Othello]PB[]PW[]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6]B[C3]W[D3]B[C4]W[F4]B[C5]W[B3]B[C2];)",
  sgf: "(;FF[4]GM[2]SZ[8];B[f5];W[d6];B[c3];W[d3];B[c4];W[f4];B[c5];W[b3];B[c2])",
  gogui: "(;FF[4]GM[1]SZ[8];B[fd];W[dc];B[cf];W[df];B[ce];W[fe];B[cd];W[bf];B[cg])",
  pgn: '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "?"]\n[White "?"]\n[Result "*"]\n\n1. f5 d6 2. c3 d3 3. c4 f4 4. c5 b3 5. c2 *\n',
  wthor: "00000000010000000000000008000000" + "0000000000000a00" + "384021222b2e352017" + "00".repeat(51),
  board: "----------X------OXX------XXXO----XXXX-----O-------------------- O",
  obf: "----------X------OXX------XXXO----XXXX-----O-------------------- O;",
  hex: "0000003c1c0c0400 0000080020020000 O",
  fen: "8/8/3P4/2pppp2/2pppP2/1Ppp4/2p5/8 w - - 0 1",
  diagram: "  a b c d e f g h\n1 - - - . - - - - 1\n2 - - X . - - - - 2\n3 - O X X . - - - 3\n4 - . X X X O - - 4\n5 - - X X X X - - 5\n6 - - - O . . - - 6\n7 - - - - - - - - 7\n8 - - - - - - - - 8\n  a b c d e f g h\nWhite to move\n",
  example: "0 0 0 0 0 0 0 0\n0 0 B 0 0 0 0 0\n0 W B B 0 0 0 0\n0 0 B B B W 0 0\n0 0 B B B B 0 0\n0 0 0 W 0 0 0 0\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\nW\n5\n",
};
const GAMES = ["moves", "ggf", "sgf", "gogui", "pgn", "wthor"];
const SIXTY = fs.readFileSync(path.join(root, "examples/game.ggf"), "utf8");

/** A choice behind "More". */
const choose = async (page, id, value) => {
  await page.evaluate(() => { document.querySelector(".more").open = true; });
  await page.select(id, value);
};

async function plays(page, what) {
  await view(page, "play");
  holds((await text(page, ".setup .message")).includes("to begin"), "an invitation");
  await looksRight(page, `play-start-${what}`);
  await choose(page, "#opponent", "first");
  await press(page, "Start");
  await sleep(200);
  await page.keyboard.press("h");
  await page.waitForSelector(".cell.valued");
  holds((await text(page, ".hint-text")).length > 10, "a hint with its reason");
  let over = false;
  for (let tries = 0; tries < 1500 && !over; tries += 1) {
    const [square] = await page.$$(".squares:not(.still) button.open");
    if (square) await square.evaluate((each) => each.click());
    await sleep(40);
    over = /wins|win!|lose|draw/.test(await text(page, ".game-card .message"));
    if (tries === 60) await looksRight(page, `play-${what}`);
  }
  holds(over && await discsOn(page) > 20, "a game is played to its end");
  await press(page, "Take back");
  await page.waitForFunction(() => document.querySelector(".game-card .message").textContent.includes("Your move"));
  await view(page, "library");
  is(await count(page, ".library li"), 2, "the game and its copy are in the library");

  // A clock that runs out.
  await view(page, "play");
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.querySelectorAll(".mv").length === 0);
  await press(page, "Resign").catch(() => {});
  await page.evaluate(() => localStorage.setItem("emilia.settings", JSON.stringify({ ...JSON.parse(localStorage.getItem("emilia.settings")), clock: 1 })));
  await load(page, what.split("-")[0]);
  await view(page, "play");
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.querySelector(".seat .clock")?.textContent === "0:59");
  is(await page.$$eval(".seat .clock", (all) => all[1].textContent), "1:00", "only one clock runs");
  await page.evaluate(() => { const now = performance.now.bind(performance); performance.now = () => now() + 59000; });
  await page.waitForFunction(() => document.querySelector(".game-card .message").textContent.includes("loses on time"));
  await looksRight(page, `clock-${what}`);
  await choose(page, "#clock", "0");

  // Engine against engine, and a pause.
  await choose(page, "#opponent", "engine");
  await choose(page, "#engine-level", "1");
  await choose(page, "#color", "none");
  await choose(page, "#start", "xot");
  await press(page, "Start");
  for (const wanted of [12, 14]) {
    await page.waitForFunction((wanted) => document.querySelectorAll(".cell.b, .cell.w").length === wanted, { timeout: 60000 }, wanted);
  }
  await press(page, "Pause");
  const paused = await discsOn(page);
  await sleep(700);
  is(await discsOn(page), paused, "a pause");

  // A lesson: the worst answers are questioned before they are played; the better move is not named.
  await page.evaluate(() => localStorage.setItem("emilia.settings", JSON.stringify({ ...JSON.parse(localStorage.getItem("emilia.settings")), color: "black", start: "usual", lesson: 2 })));
  await load(page, what.split("-")[0]);
  await view(page, "play");
  await page.keyboard.press("n");
  let asked = false;
  for (let tries = 0; tries < 400 && !asked; tries += 1) {
    const squares = await page.$$(".squares:not(.still) button.open");
    if (squares.length > 0) await squares[squares.length - 1].evaluate((each) => each.click());
    await sleep(60);
    asked = await count(page, "dialog[open]") > 0;
  }
  holds(asked && /loses [\d.]+ discs/.test(await text(page, "dialog h2")), "a warning");
  await looksRight(page, `lesson-${what}`);
  await press(page, "Think again");
  await page.evaluate(() => localStorage.setItem("emilia.settings", JSON.stringify({ ...JSON.parse(localStorage.getItem("emilia.settings")), lesson: 0 })));
  await load(page, what.split("-")[0]);
}

async function opens(page) {
  for (const [name, words] of Object.entries(FORMATS)) {
    await view(page, "study");
    await press(page, "New board");
    await page.waitForFunction(() => document.querySelectorAll(".mv").length === 0);
    if (name === "wthor") await drop(page, "x.wtb", words);
    else await paste(page, words);
    const game = GAMES.includes(name);
    await page.waitForFunction((moves, discs) => document.querySelectorAll(".game-moves .mv").length === moves &&
      document.querySelectorAll(".cell.b, .cell.w").length === discs, { timeout: 20000 }, game ? 9 : 0, game ? 4 : 13)
      .catch(() => assert.fail(`${name} is not read: ${name === "wthor" ? "" : words}`));
    checks.count += 1;
  }
  await paste(page, "f5d6c9");
  await page.waitForFunction(() => document.getElementById("said").textContent.includes("c9"));
  const said = await text(page, "#said");
  holds(/c9/.test(said), `a fault names its place: ${said}`);
  await press(page, "Open");
  await page.type("dialog textarea", "f5f6");
  await page.evaluate(() => [...document.querySelectorAll("dialog button")].find((each) => each.value === "read").click());
  // The text with a fault has left two moves, too.
  await page.waitForFunction(() => [...document.querySelectorAll(".game-moves .mv")].some((each) => each.textContent.includes("f6")));
}

async function studies(page, what) {
  await paste(page, SIXTY);
  await page.waitForFunction(() => document.querySelectorAll(".game-moves .mv").length > 55);
  await page.waitForFunction(() => document.querySelectorAll(".graph-card .mark").length > 0, { timeout: 60000 });
  checks.count += 1;
  await page.keyboard.press("End");
  holds(/wins|draw/.test(await text(page, "#status")), "the end");
  await page.keyboard.press("Home");
  for (let steps = 0; steps < 20; steps += 1) await page.keyboard.press("ArrowRight");

  // First values stay in place while they deepen.
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".cell.valued");
  const legal = await count(page, ".squares button.open");
  await page.waitForFunction((legal) => document.querySelectorAll(".cell.valued").length === legal, { timeout: 20000 }, legal);
  is(await count(page, ".lines li"), 5, "five lines");
  const places = () => page.$$eval("#othello, .moves-card, .graph-card, .book-card", (all) => all.map((each) => Math.round(each.getBoundingClientRect().top + scrollY)));
  const before = await places();
  await sleep(1200);
  is(await places(), before, "nothing jumps while values deepen");
  await looksRight(page, `study-${what}`);

  // The book's moves come with their results.
  await page.keyboard.press("Home");
  await page.waitForFunction(() => /\d+ \(\d+ %\) won, \d+ \(\d+ %\) drawn, \d+ \(\d+ %\) lost/.test(document.querySelector(".book-move").textContent));
  for (let steps = 0; steps < 21; steps += 1) await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".cell.valued");

  // A side line, a line in it, and back.
  const next = await page.$eval(".cell.next", (each) => each.dataset.square);
  const other = await page.$$eval(".squares button.open", (all, next) => all.map((each) => each.dataset.square).find((each) => each !== next), next);
  await click(page, `.squares [data-square=${other}]`);
  await page.waitForSelector(".side-line [aria-current]");
  await page.waitForSelector(".cell.valued");
  await click(page, ".pv button:nth-child(3)");
  await page.waitForFunction(() => document.querySelectorAll(".side-line .mv").length >= 4, { timeout: 20000 });
  await page.keyboard.press("ArrowLeft");
  await looksRight(page, `line-${what}`);
  await page.keyboard.press("Escape");
  is(await count(page, ".side-line [aria-current]"), 0, "back in the game");
  is(await count(page, ".side-line"), 1, "the line stays");
  await page.keyboard.press(" ");
  is(await page.$eval("#engine-on", (each) => each.checked), false, "the engine stops");
  await page.keyboard.press(" ");
  await page.keyboard.press("v");
  is(await count(page, ".cell.valued"), 0, "values hidden");
  await page.keyboard.press("v");
}

/** A report on the game; its progress is seen. */
async function reports(page, level) {
  await view(page, "report");
  await page.select("#report-level", level);
  await press(page, "Analyze the game");
  await page.waitForFunction(() => Number(document.querySelector("progress").value) > 3, { timeout: 60000 });
  holds(/\d+ \/ \d+/.test(await text(page, ".progress span")), "progress");
  await page.waitForFunction(() => !document.querySelector(".report-head .save").hidden, { timeout: 240000 });
}

async function analyzes(page, what) {
  await reports(page, "8");
  await page.waitForFunction(() => document.querySelector("iframe").contentDocument?.querySelector(".live .panel"));
  await page.evaluate(() => document.querySelector("iframe").contentDocument.querySelector("#next").click());
  await looksRight(page, `report-${what}`);
  // The engine of the page values side lines of the report.
  await page.evaluate(() => {
    const shown = document.querySelector("iframe").contentDocument;
    shown.querySelector(".goes-on")?.closest("tr").parentElement.lastElementChild.querySelector(".try").click();
  });
  await page.waitForFunction(() => {
    const shown = document.querySelector("iframe").contentDocument;
    return shown.querySelector(".line-moves") && shown.querySelectorAll(".cell.value").length > 1;
  }, { timeout: 30000 });
  await press(page, "Save as HTML");
  const html = await saved(page, ".html");
  holds(html.startsWith("<!DOCTYPE html>") && html.includes("Decisive moves"), "the page of emilia report");
  // A run that is cancelled keeps what is done.
  await page.select("#report-level", "24");
  await press(page, "Analyze the game");
  await page.waitForFunction(() => Number(document.querySelector("progress").value) > 8, { timeout: 60000 });
  await press(page, "Cancel");
  await page.waitForFunction(() => !document.querySelector(".report-head .main").disabled, { timeout: 20000 });
  is(await page.$eval("iframe", (each) => each.hidden), false, "what is done is shown");
  await page.select("#report-level", "8");
  await press(page, "Analyze the game");
  await page.waitForFunction(() => !document.querySelector(".report-head .main").disabled, { timeout: 240000 });
}

async function asks(page, what) {
  await view(page, "quiz");
  holds(/[1-9]\d* new/.test(await text(page, "#panel-quiz")), "mistakes became questions");
  await press(page, "Start");
  is(await count(page, ".cell.valued"), 0, "no values before the answer");
  for (let card = 0; card < 3; card += 1) {
    await click(page, ".squares button.open");
    await page.waitForFunction(() => /is right|loses/.test(document.querySelector(".feedback").textContent), { timeout: 30000 });
    holds(/tomorrow|in \d+ days/.test(await text(page, ".feedback")), "when it comes again");
    if (card === 0) await looksRight(page, `quiz-${what}`);
    await page.keyboard.press("n");
  }
  await press(page, "Stop");
  await press(page, "Add book positions");
  await page.waitForFunction(() => document.getElementById("said").textContent.includes("questions added"), { timeout: 60000 });
  holds(!(await text(page, "#said")).startsWith("0"), "positions of the book");
  await press(page, "Export");
  const file = JSON.parse(await saved(page, ".json"));
  holds(file.cards.filter((card) => card.due > Date.now()).length === 3, "three answered cards in the file");
  // Its file is read again: unknown cards come in, other files do not.
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "quiz.json"));
    const input = document.getElementById("quiz-file");
    input.files = data.files;
    input.dispatchEvent(new Event("change"));
  }, JSON.stringify({ cards: [...file.cards, { ...file.cards[0], id: file.cards[0].id.replace(/[XO]/, "-") }] }));
  await page.waitForFunction((all) => document.getElementById("panel-quiz").textContent.includes(`${all} in all`), {}, file.cards.length + 1);
  is(await text(page, "#said"), "1 questions added", "a new card of a file");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"cards":[{"id":"no"}]}'], "other.json"));
    const input = document.getElementById("quiz-file");
    input.files = data.files;
    input.dispatchEvent(new Event("change"));
  });
  await page.waitForFunction(() => document.getElementById("said").textContent.startsWith("Not a quiz file"));
  return file.cards.length + 1;
}

async function remembers(page, form, cards, what) {
  await load(page, form);
  await view(page, "quiz");
  holds((await text(page, "#panel-quiz")).includes(`${cards} in all`), "the quiz after a reload");
  await view(page, "library");
  const games = await count(page, ".library li");
  holds(games >= 2, "games after a reload");
  await page.type("#library-search", "nobody");
  is(await count(page, ".library li"), 0, "a search");
  await page.$eval("#library-search", (each) => { each.value = ""; each.dispatchEvent(new Event("input")); });
  await looksRight(page, `library-${what}`);
  await page.evaluate(() => document.querySelectorAll(".library li")[0].querySelectorAll("button")[1].click());
  // GGF has no such sign in a name.
  await page.type("dialog input", "Ann]");
  await press(page, "Save");
  await page.waitForFunction(() => document.querySelector(".library").textContent.includes("Ann"));
  await page.evaluate(() => document.querySelectorAll(".library li")[0].querySelectorAll("button")[2].click());
  await page.waitForFunction((games) => document.querySelectorAll(".library li").length === games - 1, {}, games);
  await press(page, "Undo");
  await page.waitForFunction((games) => document.querySelectorAll(".library li").length === games, {}, games);
  await press(page, `Export ${games}`);
  await press(page, "GGF");
  is((await saved(page, ".ggf")).match(/\(;GM/g).length, games, "all games as GGF");
  await click(page, ".library li .game");
  await page.waitForFunction(() => document.body.dataset.view === "study");
}

async function speaks(page, what) {
  await view(page, "settings");
  for (const [code, word] of [["fr", "Réglages"], ["ja", "設定"], ["en", "Settings"]]) {
    await page.select("#language", code);
    is(await text(page, "#page-settings h2"), word, code);
    is(await page.$eval("html", (each) => each.lang), code, code);
    for (const name of ["play", "study", "quiz", "settings"]) {
      await view(page, name);
      await looksRight(page, `${name}-${code}-${what}`);
    }
    const left = await page.evaluate(() => document.body.innerText.match(/\b(start|play|quiz|key|lesson|opponent|kind|fault|color|stats)-[a-z-]+\b/g));
    is(left, null, "every text is there");
  }
  await page.select("#theme", "dark");
  const dark = await page.$eval("body", (each) => getComputedStyle(each).backgroundColor);
  await page.select("#theme", "light");
  holds(dark !== await page.$eval("body", (each) => getComputedStyle(each).backgroundColor), "the theme");
  await page.select("#theme", "auto");
  await page.waitForFunction(() => /MB$/.test(document.querySelector("#page-settings section:last-child .quiet").textContent));
  return text(page, "#page-settings section:last-child .quiet");
}

/** The page on a host works without it after the first visit. */
async function offline(page) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length > 0 && (await (await caches.open((await caches.keys())[0])).keys()).length === 4);
  // `setOfflineMode` does not reach the service worker.
  host.isDown = true;
  await load(page, "host");
  await view(page, "study");
  await page.waitForSelector(".cell.valued");
  host.isDown = false;
  checks.count += 1;
}

/** The memory of the page's process in MiB: resident, and without what it shares with the rest of the browser. */
function memory(browser) {
  const pid = browser.process().pid;
  const all = execSync("ps -eo pid,ppid,args --no-headers").toString().split("\n").map((line) => line.trim().split(/\s+/));
  const family = new Set([String(pid)]);
  for (let depth = 0; depth < 4; depth += 1) for (const [own, parent] of all) if (family.has(parent)) family.add(own);
  const renderers = all.filter(([own, , ...words]) => family.has(own) && words.includes("--type=renderer")).map(([own]) => own);
  const sum = (own, field) => Math.round([...fs.readFileSync(`/proc/${own}/smaps_rollup`, "utf8").matchAll(new RegExp(`^${field}:\\s+(\\d+)`, "gm"))]
    .reduce((total, [, kilobytes]) => total + Number(kilobytes) / 1024, 0));
  return renderers.map((own) => ({ resident: sum(own, "Rss"), own: sum(own, "Private_\\w+") })).sort((a, b) => b.resident - a.resident)[0];
}

/** Opens, studies and analyzes with one worker, without the checks' own scripts in the page: what that takes. */
async function measures(form) {
  const { browser, page } = await open(form, 1280, "light");
  try {
    await page.evaluateOnNewDocument(() => {
      window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((each) => each.duration))).observe({ type: "longtask", buffered: true });
      localStorage.setItem("emilia.settings", '{"workers":1}');
    });
    await page.goto("data:text/html,<p>empty</p>");
    await sleep(500);
    const empty = memory(browser);
    const start = await load(page, form);
    const tasks = [["start", await page.evaluate(() => window.tasks.splice(0))]];
    await paste(page, SIXTY);
    await page.waitForFunction(() => document.querySelectorAll(".graph-card .mark").length > 0, { timeout: 60000 });
    await page.keyboard.press("Home");
    const firsts = [];
    for (let steps = 0; steps < 16; steps += 1) {
      const begin = Date.now();
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector(".cell.valued");
      firsts.push(Date.now() - begin);
      await sleep(500);
    }
    tasks.push(["study", await page.evaluate(() => window.tasks.splice(0))]);
    const begin = Date.now();
    await reports(page, "8");
    const seconds = (Date.now() - begin) / 1000;
    tasks.push(["report", await page.evaluate(() => window.tasks.splice(0))]);
    const full = memory(browser);
    const session = await page.createCDPSession();
    await session.send("HeapProfiler.collectGarbage");
    await sleep(1000);
    const kept = memory(browser);
    const first = firsts.sort((a, b) => a - b).at(-1);
    const long = tasks.map(([part, all]) => `${part} ${Math.round(Math.max(0, ...all))}`).join(", ");
    console.log(`${form}: ready after ${start} ms, first values within ${first} ms, 60 moves at level 8 ${seconds.toFixed(1)} s, longest tasks (ms): ${long}; ` +
      `MiB: ${full.resident} resident, ${kept.resident} without garbage (own ${kept.own}), an empty page ${empty.resident} (own ${empty.own})`);
    holds(kept.resident < 300, `memory: ${kept.resident} MiB`);
    holds(start <= 1500, `ready after ${start} ms`);
    holds(first <= 300, `first values after ${first} ms`);
    // The browser itself reads a file of 12 MB in one task.
    const limit = (part) => (form === "file" && part === "start" ? 120 : 50);
    holds(tasks.every(([part, all]) => all.every((each) => each <= limit(part))), `long tasks: ${long} ms`);
  } finally {
    await browser.close();
    fs.rmSync(page.downloads, { recursive: true });
  }
}

/** The types of the scripts, and the page's HTML. */
function valid() {
  execSync(`"${path.join(out, "node_modules/.bin/tsc")}" -p "${path.join(root, "src/web/page")}"`, { stdio: "inherit" });
  const rules = { "long-title": "off", "void-style": "off", "require-sri": "off", "no-inline-style": "off" };
  const checker = new HtmlValidate({ extends: ["html-validate:standard"], rules });
  const page = fs.readFileSync(path.join(folder, "emilia.html"), "utf8").replace(/(id="engine">)[^<]*/, "$1");
  const report = checker.validateStringSync(page);
  is(report.results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => `${ruleId}, line ${line}: ${message}`)), [], "valid HTML");
}

valid();
const runs = ["file", "host"].flatMap((form) => [1280, 390].flatMap((width) => ["light", "dark"].map((theme) => ({ form, width, theme }))));
const wanted = process.argv[2]?.split(",");
for (const form of ["file", "host"]) if (!wanted || wanted.includes(`${form}-times`)) await measures(form);
for (const { form, width, theme } of runs) {
  const what = `${form}-${width}-${theme}`;
  if (wanted && !wanted.includes(what)) continue;
  const begin = Date.now();
  const { browser, page } = await open(form, width, theme);
  const run = async () => {
    await load(page, form);
    await plays(page, what);
    await opens(page);
    await studies(page, what);
    await analyzes(page, what);
    const cards = await asks(page, what);
    await remembers(page, form, cards, what);
    const about = await speaks(page, what);
    if (form === "host") await offline(page);
    is(page.faults, [], what);
    return about;
  };
  try {
    console.log(`${what}: ${await run()}; ${((Date.now() - begin) / 1000).toFixed(0)} s in all`);
  } catch (error) {
    await page.screenshot({ path: path.join(out, "web-failed.png") }).catch(() => {});
    throw error;
  } finally {
    await browser.close();
    fs.rmSync(page.downloads, { recursive: true });
  }
}
server.close();
console.log(`${checks.count} checks passed; the pictures are in ${out}`);
