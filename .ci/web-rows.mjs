// Plays the promises of the page for browsers as a user does: nothing is lost, press and play, share. Each is looked up in the visible library
// after a reload. Usage: node .ci/web-rows.mjs [chromium|firefox [ROW...]]; ROWS_AT_ONCE, by default 4; see web-tools.mjs.
import fs from "node:fs";
import path from "node:path";
import { FORMS, checks, click, count, drop, holds, is, load, looksRight, open, out, paste, press, root, saved, server, sleep, text, view } from "./web-tools.mjs";

const SIXTY = fs.readFileSync(path.join(root, "examples/game.ggf"), "utf8");
/** Rows that take long, the longest last. */
const LONG = ["3.1", "3.5", "3.12", "3.8", "3.11", "3.10", "3.13"];
const kind = process.argv[2] ?? "chromium";
const wanted = process.argv.slice(3);
if (!["chromium", "firefox"].includes(kind)) throw new Error(`the browser is chromium or firefox, not ${kind}`);
const form = process.env.FORM ?? "file";

const wait = (page, work, ...more) => page.waitForFunction(work, { timeout: 60000, polling: 100 }, ...more);
const inView = (page, name) => wait(page, (name) => document.body.dataset.view === name, name);
const moves = (page) => page.$$eval(".game-moves .mv", (all) => all.length);
const said = (page, words) => wait(page, (words) => document.getElementById("said").textContent.includes(words), words);

/** The visible library after a reload: a text for each row. */
async function library(page, isReloaded = true) {
  await sleep(150);
  if (isReloaded) await load(page, form);
  await view(page, "library");
  return page.$$eval(".library li .game", (all) => all.map((each) => each.innerText.replaceAll("\n", " ")));
}

async function openFirst(page, at = 0) {
  await page.evaluate((at) => document.querySelectorAll(".library li .game")[at].click(), at);
  await inView(page, "study");
  await sleep(100);
}

/** Opens the first game of the library with this word. */
async function openWith(page, word) {
  await view(page, "library");
  await openFirst(page, await page.$$eval(".library li .game", (all, word) => all.findIndex((each) => each.textContent.includes(word)), word));
}

async function pasted(page, words, plies) {
  await page.evaluate(() => document.getElementById("said").replaceChildren());
  await paste(page, words);
  await inView(page, "study");
  await wait(page, () => document.getElementById("said").textContent !== "");
  if (plies !== undefined) await wait(page, (plies) => document.querySelectorAll(".game-moves .mv").length === plies, plies);
}

/** Presses a legal square of the board; the board is the user's. */
async function pressSquare(page, name) {
  await wait(page, (name) => document.querySelector(`.squares:not(.still) [data-square=${name}].open`), name);
  await click(page, `.squares [data-square=${name}]`);
}

/** It is the user's turn, and stays so: the engine has made its move. */
async function yourMove(page) {
  let before = "";
  for (let tries = 0; tries < 200; tries += 1) {
    const now = await page.evaluate(() => {
      const isTurn = document.querySelector(".game-card .message")?.textContent.includes("Your move") && document.querySelector(".squares:not(.still) button.open");
      return isTurn ? [...document.querySelectorAll(".game-moves .mv")].map((each) => each.textContent).join() : "";
    });
    if (now && now === before) return;
    before = now;
    await sleep(400);
  }
  throw new Error("it is never the user's move");
}

/** Presses any legal square until the game is over. */
async function playOn(page) {
  for (let tries = 0; tries < 600; tries += 1) {
    const isOver = await page.evaluate(() => {
      document.querySelector(".squares:not(.still) button.open")?.click();
      return !document.querySelector(".setup").hidden;
    });
    if (isOver) return;
    await sleep(120);
  }
  throw new Error("the game does not end");
}

async function weakest(page) {
  await view(page, "play");
  await page.evaluate(() => { document.querySelector(".more").open = true; });
  await page.select("#opponent", "first");
}

/** Ends a game in few moves: the last ones of a game of Study. */
async function lateGame(page, from = 52) {
  await weakest(page);
  await pasted(page, SIXTY);
  await wait(page, () => document.querySelectorAll(".game-moves .mv").length > 55);
  for (let step = 0; step < from; step += 1) await page.keyboard.press("ArrowRight");
  await press(page, "Play from here");
  await inView(page, "play");
}

/** Keeps the requests that the page sends to its workers in `window.log`. Calls `window.onScan` once, after the first scan of a game. */
const logRequests = (page) => page.evaluateOnNewDocument(() => {
  window.log = [];
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function note(message, ...more) {
    if (message.send) window.log.push(message.send);
    if (window.onScan && message.send?.turns?.length > 1) {
      setTimeout(window.onScan, 0);
      window.onScan = null;
    }
    return send.call(this, message, ...more);
  };
});

const report = async (page, level) => {
  await view(page, "report");
  await page.select("#report-level", level);
  await press(page, "Analyze the game");
};
const reported = (page) => page.waitForFunction(() => !document.querySelector(".report-head .main").disabled, { timeout: 240000 });

const ROWS = {
  /** Cancel keeps and shows what is done; a poorer report never replaces a fuller one. */
  async "3.1"(page) {
    await pasted(page, SIXTY);
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length > 55);
    await report(page, "24");
    await wait(page, () => Number(document.querySelector("progress").value) > 2);
    await press(page, "Cancel");
    await reported(page);
    const shown = () => page.evaluate(() => !document.querySelector("iframe").hidden && document.querySelector("iframe").srcdoc.length > 1000);
    holds(await shown(), "3.1: a first report that is cancelled is shown");
    const partly = await page.$eval("iframe", (each) => each.srcdoc.match(/level 24 for (\d+) of \d\d positions/)?.[1]);
    holds(Number(partly) >= 1 && Number(partly) < 60, `3.1: it says how far it came: ${partly}`);
    await page.select("#report-level", "8");
    await press(page, "Analyze the game");
    await reported(page);
    await page.select("#report-level", "4");
    await press(page, "Analyze the game");
    await reported(page);
    await page.select("#report-level", "24");
    await press(page, "Analyze the game");
    await press(page, "Cancel");
    await reported(page);
    const rows = await library(page);
    is(rows.length, 1, "3.1: one game");
    holds(/discs lost/.test(rows[0]), `3.1: its report is kept: ${rows[0]}`);
    await openFirst(page);
    await view(page, "report");
    await wait(page, () => !document.querySelector("iframe").hidden);
    const effort = await page.$eval("iframe", (each) => each.srcdoc.match(/level \d+ for \d+ of \d\d positions/)?.[0] ?? "");
    holds(/^level 24 for/.test(effort), `3.1: the fuller answers stay: ${effort}`);
    const depths = await page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("emilia").onsuccess = ({ target }) => { target.result.transaction("games").objectStore("games").getAll().onsuccess = (found) => resolve(found.target.result[0].answers.map(({ turn, level }) => [turn, level])); };
    }));
    holds(depths.length >= 60, "3.1: an answer for each position");
    holds(depths.every(([, level]) => level >= 8 || level === undefined), `3.1: no quick look replaced level 8: ${JSON.stringify(depths)}`);
  },

  /** An opened game is studied; a finished game stays, Take back goes on in a copy. */
  async "3.2"(page) {
    await pasted(page, SIXTY);
    await page.keyboard.press("End");
    for (let tries = 0; tries < 5; tries += 1) await page.keyboard.press("u");
    await view(page, "play");
    await page.keyboard.press("u");
    let rows = await library(page);
    is(rows.length, 1, "3.2: one game");
    holds(/60 moves|59 moves|58 moves/.test(rows[0]), `3.2: the opened game is whole: ${rows[0]}`);
    await lateGame(page);
    await playOn(page);
    const result = await text(page, ".game-card .message");
    await press(page, "Take back");
    await said(page, "copy");
    await yourMove(page);
    await page.evaluate(() => document.querySelector(".squares button.open").click());
    await sleep(300);
    rows = await library(page);
    is(rows.length, 3, `3.2: the opened, the finished and the continued game after ${result}: ${rows.join(" | ")}`);
    holds(rows.some((row) => /You .*[+−]\d+|\d+ You/.test(row) || (/You|First steps/.test(row) && /[+−]\d+/.test(row))), `3.2: the finished game has its result: ${rows.join(" | ")}`);
  },

  /** Nothing drops a running game: not a paste, not another game, not N; one Undo leads back. */
  async "3.3"(page) {
    await weakest(page);
    await pressSquare(page, "f5");
    await yourMove(page);
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length >= 2);
    await page.evaluate(() => document.querySelector(".squares button.open").click());
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length >= 4);
    await yourMove(page);
    const played = await moves(page);
    await paste(page, "");
    await paste(page, "  \n");
    await sleep(500);
    is([await page.evaluate(() => document.body.dataset.view), await moves(page)], ["play", played], "3.3: an empty paste leaves it");
    await pasted(page, "c4c3d3c5", 4);
    await pasted(page, "e6f4", 2);
    await press(page, "Undo");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length === 4);
    await view(page, "play");
    is(await moves(page), played, "3.3: a paste leaves the running game");
    await page.keyboard.press("n");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length === 0);
    await page.click("#undo");
    await wait(page, (played) => document.querySelectorAll(".game-moves .mv").length >= played, played);
    await page.keyboard.press("n");
    await pressSquare(page, "c4");
    await yourMove(page);
    const rows = await library(page);
    is(rows.length, 4, `3.3: four games: ${rows.join(" | ")}`);
    holds(rows.filter((row) => /First steps/.test(row)).length === 2, `3.3: both games against First steps: ${rows.join(" | ")}`);
    holds(rows.some((row) => / 4 moves/.test(row) && !/First/.test(row)), "3.3: both pasted games");
    await view(page, "play");
    await yourMove(page);
    const before = await moves(page);
    await press(page, "Take back");
    await wait(page, (before) => document.querySelectorAll(".game-moves .mv").length < before, before);
    await press(page, "Undo");
    await wait(page, (before) => document.querySelectorAll(".game-moves .mv").length === before, before);
    await view(page, "library");
    await page.evaluate(() => document.querySelectorAll(".library li")[0].querySelectorAll("button")[2].click());
    await wait(page, () => document.querySelectorAll(".library li").length === 3);
    await press(page, "Undo");
    await wait(page, () => document.querySelectorAll(".library li").length === 4);
    is((await library(page)).length, 4, "3.3: a deletion undone");
    checks.count += 2;
  },

  /** Side lines and comments are read, kept and written. */
  async "3.4"(page) {
    await pasted(page, "(;FF[4]GM[2]PB[Ann]PW[Bob];B[f5]C[a good start];W[d6](;B[c3];W[d3])(;B[c4]C[or \\] this];W[d3](;B[c5])(;B[e6])))");
    await page.keyboard.press("End");
    await wait(page, () => document.querySelectorAll(".side-line").length > 0);
    holds((await text(page, ".game-moves")).includes("or ] this"), `3.4: a comment on a side line: ${await text(page, ".game-moves")}`);
    await page.keyboard.press("ArrowLeft");
    await pressSquare(page, "f4");
    await wait(page, () => document.querySelectorAll(".side-line").length === 2);
    is((await library(page)).length, 1, "3.4: one game");
    await openFirst(page);
    const sheet = await text(page, ".game-moves");
    for (const part of ["a good start", "or ] this", "c4", "e6", "c5", "f4"]) holds(sheet.includes(part), `3.4: ${part} after a reload: ${sheet}`);
    is(await count(page, ".side-line"), 2, "3.4: side lines after a reload");
    await press(page, "Save game");
    await press(page, "SGF");
    const file = await saved(page, ".sgf");
    holds(file.includes("PB[Ann]") && file.includes("C[a good start]") && file.includes("(;B[c4]C[or \\] this]") && file.includes("(;B[c5])") && file.includes("(;W[f4])"), `3.4: the file: ${file}`);
    await page.evaluate(() => indexedDB.open("emilia"));
    await pasted(page, file);
    is((await library(page)).length, 2, "3.4: what was written is read as a game of its own, with its lines");
  },

  /** A store that refuses is said as long as it refuses, and a file is offered. */
  async "3.5"(page) {
    await page.evaluate(() => {
      window.put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function refuse() { throw new DOMException("full", "QuotaExceededError"); };
    });
    await pasted(page, "f5d6c3", 3);
    await page.waitForSelector("#unkept:not([hidden])");
    await sleep(6000);
    holds(await page.$eval("#unkept", (each) => !each.hidden && /not keep/.test(each.textContent)), "3.5: it stays visible");
    await press(page, "Save all games");
    holds((await saved(page, ".sgf")).includes(";B[f5];W[d6];B[c3]"), "3.5: the game as a file");
    await page.evaluate(() => { IDBObjectStore.prototype.put = window.put; });
    await page.keyboard.press("End");
    await pressSquare(page, "d3");
    await wait(page, () => document.getElementById("unkept").hidden);
    holds((await library(page)).some((row) => / 4 moves/.test(row)), "3.5: once it may, it keeps what was refused");
    await page.evaluate(() => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; });
    await view(page, "settings");
    await page.select("#perspective", "black");
    await page.waitForSelector("#unkept:not([hidden])");
    holds((await library(page)).length > 0, "3.5: a full localStorage loses no game");
    checks.count += 1;
  },

  /** A transcript over several lines is one game. */
  async "3.6"(page) {
    const whole = "f5d6c3d3c4f4c5b3c2e3d2c6";
    await pasted(page, "f5d6c3d3c4f4\nc5b3c2e3d2c6\n", 12);
    let rows = await library(page);
    is(rows.length, 1, `3.6: one game: ${rows.join(" | ")}`);
    await pasted(page, `${whole.slice(0, 10).match(/../g).join("\n")}\n`, 5);
    await pasted(page, "F5 D6 C3\r\nD3 C4 F4 C5\r\n", 7);
    rows = await library(page);
    is(rows.length, 3, `3.6: three games: ${rows.join(" | ")}`);
    await paste(page, "f5d6c3d3c5\nf5f6e6f4\n");
    await inView(page, "library");
    is((await library(page)).length, 5, "3.6: a game a line stays two games");
    // Two readings: no guess.
    await paste(page, "f5d6c3\nd3c5");
    await said(page, "two readings");
    is((await library(page)).length, 5, "3.6: two readings are no game");
  },

  /** Only the user's own games are the user's. */
  async "3.7"(page) {
    await pasted(page, SIXTY);
    await page.keyboard.press("End");
    const words = [await text(page, "#status")];
    await view(page, "play");
    words.push(await page.evaluate(() => document.querySelector("main").innerText));
    holds(!/You (win|lose)/.test(words.join()), `3.7: ${words}`);
    await lateGame(page);
    await playOn(page);
    const own = await text(page, ".game-card .message");
    holds(/You win|You lose|A draw/.test(own), `3.7: an own game: ${own}`);
    await page.evaluate(() => { document.querySelector(".more").open = true; });
    await page.select("#color", "white");
    is(await text(page, ".game-card .message"), own, "3.7: another choice changes no game");
    await load(page, form);
    await view(page, "play");
    is(await text(page, ".game-card .message"), own, "3.7: after a reload");
  },

  /** Choices for the next game leave the running one alive; Study and Play are apart; two tabs lose nothing. */
  async "3.8"(page, tab) {
    await weakest(page);
    await pressSquare(page, "f5");
    await yourMove(page);
    await page.evaluate(() => { document.querySelector("#color").value = "white"; document.querySelector("#color").dispatchEvent(new Event("change")); });
    const before = await moves(page);
    await page.evaluate(() => document.querySelector(".squares:not(.still) button.open").click());
    await wait(page, (before) => document.querySelectorAll(".game-moves .mv").length >= before + 2, before);
    await yourMove(page);
    const played = await moves(page);
    await press(page, "Study");
    await inView(page, "study");
    await page.evaluate(() => document.querySelector(".squares button.open").click());
    await wait(page, () => document.querySelectorAll(".side-line").length > 0);
    await view(page, "play");
    is(await moves(page), played, "3.8: presses in Study are no moves of the running game");
    let rows = await library(page);
    is(rows.length, 2, `3.8: the game and what was studied: ${rows.join(" | ")}`);

    const second = await tab();
    await load(second, form);
    await view(second, "play");
    await view(page, "play");
    await yourMove(page);
    await yourMove(second);
    await page.evaluate(() => document.querySelectorAll(".squares:not(.still) button.open")[0].click());
    await yourMove(page);
    const now = await moves(page);
    holds(now > played, "3.8: the first tab plays on");
    await second.bringToFront();
    await wait(second, (now) => document.querySelectorAll(".game-moves .mv").length === now, now).catch(async () => {
      throw new Error(`3.8: the second tab shows ${await moves(second)} moves, not ${now}; ${second.faults}`);
    });
    await view(second, "library");
    await page.bringToFront();
    await pasted(page, "c4e3f6e6f5", 5);
    await second.bringToFront();
    await wait(second, () => [...document.querySelectorAll(".library li")].some((row) => row.textContent.includes("Tiger")));
    // Both tabs change the same game at once: neither is lost.
    await openFirst(second, 0);
    await page.keyboard.press("End");
    await second.keyboard.press("End");
    await page.evaluate(() => { window.BroadcastChannel.prototype.postMessage = () => {}; });
    await Promise.all([page, second].map((each, at) => each.evaluate((at) => document.querySelectorAll(".squares button.open")[at].click(), at)));
    for (const each of [page, second]) {
      await each.bringToFront();
      await wait(each, () => document.querySelectorAll(".game-moves .mv").length === 6);
      await sleep(400);
    }
    await page.bringToFront();
    rows = await library(page);
    is(rows.filter((row) => /Tiger.* 6 moves/.test(row)).length, 2, `3.8: both moves are kept: ${rows.join(" | ")}`);
    await second.close();
    await page.bringToFront();
  },

  /** Copy moves copies the whole game from anywhere. */
  async "3.9"(page) {
    await pasted(page, "f5d6c3d3c4f4", 6);
    await page.evaluate(() => {
      window.copied = [];
      Object.defineProperty(navigator, "clipboard", { value: { writeText: (words) => Promise.resolve(window.copied.push(words)) } });
    });
    await page.keyboard.press("Home");
    await press(page, "Copy moves");
    await press(page, "Copy link");
    const copied = await page.evaluate(() => window.copied);
    is(copied[0], "f5d6c3d3c4f4", "3.9: the whole game at the first position");
    holds(form === "file" ? copied[1] === copied[0] : copied[1].includes("#g=f5d6c3d3c4f4&at=0"), `3.9: the link: ${copied[1]}`);
    await press(page, "New board");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length === 0);
    await press(page, "Copy moves");
    await said(page, "No moves");
    is((await page.evaluate(() => window.copied)).length, 2, "3.9: nothing is not copied");
    is((await library(page)).length, 1, "3.9: the game is there");
  },

  /** All of many games are reachable; many are deleted; WTHOR has its names. */
  async "3.10"(page) {
    const record = (black, white) => `0000${black}00${white}00` + "0000" + "384021222b2e352017" + "00".repeat(51);
    const header = (games, names) => `14180101${games}${names}0000e8070800000000`.slice(0, 24) + "08000000";
    const bytes = (words, length) => Buffer.concat(words.map((word) => Buffer.concat([Buffer.from(word, "latin1"), Buffer.alloc(length - word.length)]))).toString("hex");
    const little = (number, length) => { const all = Buffer.alloc(length); all.writeUIntLE(number, 0, length); return all.toString("hex"); };
    const head = (games, names) => `14180101${little(games, 4)}${little(names, 2)}${little(2024, 2)}08000000`;
    const wtb = head(2, 0) + record("01", "02") + record("02", "01");
    const jou = head(0, 3) + bytes(["???", "Ann A", "B\u00e9a B"], 20);
    const trn = head(0, 1) + bytes(["Open 2024"], 26);
    void header;
    await page.evaluate((files) => {
      const data = new DataTransfer();
      for (const [name, hex] of files) data.items.add(new File([new Uint8Array(hex.match(/../g).map((byte) => parseInt(byte, 16)))], name));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [["x.wtb", wtb], ["x.jou", jou], ["x.trn", trn]]);
    await inView(page, "library");
    const rows = await library(page);
    holds(rows.some((row) => row.includes("Ann A – Béa B") && row.includes("Open 2024")), `3.10: the names of a WTHOR file: ${rows.join(" | ")}`);
    const game = SIXTY.trim();
    const many = [...Array(400).keys()].map((number) => game.replace(/PB\[[^\]]*/, `PB[Player ${number}`)).join("\n");
    await paste(page, many);
    await wait(page, () => document.querySelector(".sum").textContent.includes("402 of 402"));
    await library(page);
    await wait(page, () => document.querySelector(".sum").textContent.includes("402 of 402"));
    const seen = new Set();
    for (let at = 0; at < 130; at += 1) {
      const [names, isEnd] = await page.evaluate(() => {
        const names = [...document.querySelectorAll(".library .names")].map((each) => each.textContent);
        scrollBy({ top: innerHeight, behavior: "instant" });
        return [names, scrollY + innerHeight >= document.documentElement.scrollHeight - 2];
      });
      names.forEach((name) => seen.add(name));
      if (isEnd) break;
      await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    }
    await page.$$eval(".library .names", (all) => all.map((each) => each.textContent)).then((names) => names.forEach((name) => seen.add(name)));
    is(seen.size, 402, "3.10: every game is reached by scrolling");
    await page.evaluate(() => scrollTo(0, 0));
    await page.type("#library-search", "Player 39");
    await wait(page, () => document.querySelector(".sum").textContent.startsWith("14 of"));
    await click(page, ".library-tools input");
    await press(page, "Delete 14");
    await wait(page, () => document.querySelector(".sum").textContent.startsWith("0 of 388"));
    await library(page);
    holds((await text(page, ".sum")).startsWith("388 of 388"), "3.10: many are deleted");
    checks.count += 2;
  },

  /** Openings have names in the page's language. */
  async "3.11"(page) {
    await pasted(page, "f5d6c3d3c4", 5);
    await page.keyboard.press("End");
    for (const [code, name] of [["fr", "Tigre"], ["ja", "虎定石"], ["en", "Tiger"]]) {
      await view(page, "settings");
      await page.select("#language", code);
      await view(page, "study");
      is(await text(page, ".moves-card .opening"), name, `3.11: ${code}`);
      holds((await library(page)).some((row) => row.includes(name)), `3.11: ${code} in the library`);
      await openFirst(page);
      await page.keyboard.press("End");
    }
  },

  /** The focus stays while lists deepen; moves, hints and results are spoken. */
  async "3.12"(page) {
    await pasted(page, "f5d6c3d3c4", 5);
    await wait(page, () => document.querySelectorAll(".pv button").length > 10);
    await page.evaluate(() => document.querySelectorAll(".lines .pv button")[1].focus());
    for (let looks = 0; looks < 12; looks += 1) {
      await sleep(150);
      holds(await page.evaluate(() => document.activeElement.closest(".lines") !== null), "3.12: the focus stays in the lines");
    }
    await page.evaluate(() => document.querySelector(".game-moves .mv").focus());
    await page.keyboard.press("Enter");
    await sleep(900);
    holds(await page.evaluate(() => document.activeElement.matches(".mv")), "3.12: and in the moves");
    holds(/Black: f5/.test(await text(page, "#spoken")), `3.12: a move is spoken: ${await text(page, "#spoken")}`);
    await weakest(page);
    await pressSquare(page, "f5");
    await wait(page, () => /White: [a-h][1-8]/.test(document.getElementById("spoken").textContent));
    await yourMove(page);
    await press(page, "Hint");
    await wait(page, () => /Hint: [a-h][1-8]/.test(document.getElementById("spoken").textContent));
    await press(page, "Resign");
    await wait(page, () => /resigns/.test(document.getElementById("spoken").textContent));
    is((await library(page)).length, 2, "3.12: both games are there");
    checks.count += 3;
  },

  /** A press begins; levels have names; mistakes are marked, and the better move is shown on request; resign, play from here. */
  async "3.13"(page) {
    await page.setViewport(page.isFirefox ? { width: 390, height: 844 } : { width: 390, height: 844, isMobile: true, hasTouch: true });
    await load(page, form);
    const fits = await page.evaluate(() => [".board-host", ".setup .main", ".choices-row"].map((each) => document.querySelector(each).getBoundingClientRect())
      .every(({ top, bottom }) => top >= 0 && bottom <= innerHeight - 57));
    holds(fits, "3.13: on a phone board, choices and Start are in sight");
    is(await page.$$eval(".choice", (all) => all.map((each) => each.textContent)), ["Beginner", "Club player", "Expert"], "3.13: three choices");
    is(await page.$eval(".choice[aria-pressed=true]", (each) => each.textContent), "Beginner", "3.13: Beginner first");
    await looksRight(page, `rows-phone-${kind}`);
    const small = [];
    for (const name of ["play", "study", "report", "quiz", "library", "settings"]) {
      await view(page, name);
      await sleep(200);
      small.push(...await page.$$eval("button, select, summary, input:not([type=checkbox]), .tabs a", (all) => all.filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        return width > 0 && height > 0 && height < 43.5 && each.checkVisibility() && !each.closest(".unseen, .squares");
      }).map((each) => `${each.tagName}.${each.className} ${each.textContent.slice(0, 20)}`)));
    }
    is(small, [], "3.13: what is pressed on a phone has 44 px");
    await view(page, "play");
    await page.setViewport({ width: 1280, height: 900 });
    await pressSquare(page, "f5");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length >= 2);
    await yourMove(page);
    // The last square of the list is bad often enough.
    let isMarked = false;
    for (let tries = 0; tries < 30 && !isMarked; tries += 1) {
      await page.evaluate(() => { const all = document.querySelectorAll(".squares:not(.still) button.open"); all[(all.length * 7) % 3 ? all.length - 1 : 0]?.click(); });
      await sleep(1500);
      isMarked = await count(page, ".mistake-mark") > 0;
    }
    holds(isMarked, "3.13: a mistake is marked");
    const mark = await text(page, ".mistake-mark");
    holds(/^[a-h][1-8] −\d+(\.\d)?: why\?$/.test(mark), `3.13: its mark: ${mark}`);
    is(await count(page, ".mistake-box p"), 0, "3.13: without a reason at first");
    await click(page, ".mistake-mark");
    holds((await text(page, ".mistake-box .reason")).length > 5, "3.13: its reason");
    is(await count(page, ".better"), 0, "3.13: not the better move");
    await looksRight(page, `rows-mistake-${kind}`);
    await press(page, "Show a better move");
    holds(/Better: [a-h][1-8]/.test(await text(page, ".better")), "3.13: on request");
    await press(page, "Resign");
    await wait(page, () => document.querySelector(".game-card .message").textContent.includes("You lose"));
    await press(page, "Study");
    await inView(page, "study");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await press(page, "Play from here");
    await inView(page, "play");
    is((await moves(page)) >= 1, true, "3.13: a game from here");
    const rows = await library(page);
    holds(rows.some((row) => /White won by resignation/.test(row)), `3.13: the resigned game: ${rows.join(" | ")}`);
    // Each mistake of a report is a question, and the quiz explains the move that was played.
    await pasted(page, SIXTY);
    await report(page, "8");
    await reported(page);
    const mistakes = await page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("emilia").onsuccess = ({ target }) => { target.result.transaction("games").objectStore("games").getAll().onsuccess = (found) => resolve(new Set(found.target.result.flatMap(({ answers }) => answers ?? []).filter(({ played }) => played?.loss >= 2).map(({ position }) => position)).size); };
    }));
    await load(page, form);
    await view(page, "quiz");
    const fresh = Number((await text(page, "#panel-quiz")).match(/(\d+) new/)[1]);
    is(fresh, mistakes, "3.13: a question for each mistake of two discs");
    holds(mistakes >= 5, `3.13: ${mistakes} mistakes`);
  },

  /** Links open a game at a move; pictures, files, an editor, arrows. */
  async "3.14"(page) {
    await page.goto("about:blank");
    await page.goto(`${FORMS[form]}#g=f5d6c3d3c4&at=2`);
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length === 5);
    is(await text(page, ".mv[aria-current]"), "d6", "3.14: a link opens a game at a move");
    await press(page, "Save picture");
    await press(page, "PNG");
    const name = await (async () => { for (let tries = 0; tries < 100; tries += 1) { const found = fs.readdirSync(page.downloads).find((each) => each.endsWith(".png")); if (found) return found; await sleep(100); } return ""; })();
    await sleep(200);
    const png = fs.readFileSync(path.join(page.downloads, name));
    is([...png.subarray(0, 4), png.readUInt32BE(16)], [137, 80, 78, 71, 888], "3.14: PNG");
    await press(page, "Draw");
    const center = (square) => page.$eval(`.squares [data-square=${square}]`, (each) => { const box = each.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; });
    await page.evaluate(() => document.querySelector("#othello").scrollIntoView());
    await page.mouse.move(...await center("c4"));
    await page.mouse.down();
    await page.mouse.move(...await center("f6"));
    await page.mouse.up();
    await page.mouse.click(...await center("e3"));
    is([await count(page, ".arrow"), await count(page, ".ring"), await moves(page)], [1, 1, 5], "3.14: an arrow and a ring, no move");
    await page.screenshot({ path: path.join(out, `rows-arrows-${kind}.png`) });
    await press(page, "Draw");
    await press(page, "Save picture");
    await press(page, "SVG");
    const svg = await saved(page, ".svg");
    holds(svg.includes("<svg") && svg.includes("class=\"arrow\""), "3.14: SVG with its arrow");
    for (const [format, sign] of [["PGN", "1. f5 d6"], ["GGF", "(;GM[Othello]"], ["SGF", "GM[2]"]]) {
      await press(page, "Save game");
      await press(page, format);
      holds((await saved(page, `.${format.toLowerCase()}`)).includes(sign), `3.14: ${format}`);
    }
    await press(page, "Edit board");
    await press(page, "Empty");
    for (const [square, presses] of [["d4", 1], ["e4", 2], ["a1", 3]]) for (let each = 0; each < presses; each += 1) await click(page, `.squares [data-square=${square}]`);
    await page.screenshot({ path: path.join(out, `rows-editor-${kind}.png`) });
    await press(page, "Done");
    await wait(page, () => document.querySelectorAll(".cell.b, .cell.w").length === 2 && document.querySelector(".squares [data-square=f4].open"));
    const rows = await library(page);
    is(rows.length, 2, `3.14: the shared game and the position: ${rows.join(" | ")}`);
  },

  /** The board that is shown goes before the scan of its game. */
  async "3.15"(page) {
    await logRequests(page);
    await load(page, form);
    // A step while the scan runs, however short it is.
    await page.evaluate(() => {
      window.onScan = () => {
        window.log.length = 0;
        window.stepped = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      };
    });
    await pasted(page, SIXTY);
    await wait(page, () => window.stepped && document.querySelector(".cell.valued"));
    const time = await page.evaluate(() => Math.round(performance.now() - window.stepped));
    await wait(page, () => window.log.some(({ turns }) => turns?.length > 1));
    const log = await page.evaluate(() => window.log.filter(({ call }) => !call).map((each) => (each.cancel ? "cancel" : each.turns?.length > 1 ? "scan" : "board")));
    const scan = log.indexOf("scan");
    holds(log.indexOf("board") >= 0 && log.indexOf("board") < scan && log.indexOf("cancel") < log.indexOf("board") && log.includes("cancel"), `3.15: ${log}`);
    console.log(`  first values ${time} ms after a step into a game`);
    await wait(page, () => document.querySelectorAll(".graph-card .mark").length > 0);
    is((await library(page)).length, 1, "3.15: the game is there");
    checks.count += 1;
  },

  /** Faults in the user's language; the whole board at 200 % zoom. */
  async "3.16"(page) {
    await view(page, "settings");
    await page.select("#language", "fr");
    await paste(page, "f5d6c3d3c4f5");
    await said(page, "illégal");
    await said(page, "coup 6");
    await inView(page, "study");
    is([await moves(page), await text(page, ".mv[aria-current]")], [5, "c4"], "3.16: the game up to its fault");
    holds((await text(page, ".game-moves .comment")).includes("illégal"), "3.16: the fault is marked in the game");
    await view(page, "settings");
    await page.select("#language", "ja");
    await paste(page, "f5d6x9");
    await said(page, "読めません");
    await view(page, "settings");
    await page.select("#language", "en");
    await page.setViewport({ width: 640, height: 450, deviceScaleFactor: 2 });
    for (const name of ["play", "study"]) {
      await view(page, name);
      await sleep(100);
      const box = await page.$eval("#othello", (each) => { each.scrollIntoView({ block: "end" }); const { top, bottom } = each.getBoundingClientRect(); return [top, bottom, innerHeight]; });
      holds(box[0] >= 0 && box[1] <= box[2], `3.16: the whole board in ${name}: ${box}`);
    }
    await page.screenshot({ path: path.join(out, `rows-zoom-${kind}.png`) });
    checks.count += 2;
    await page.setViewport({ width: 1280, height: 900 });
    holds((await library(page)).length >= 1, "3.16: the part is in the library");
    await openFirst(page, await page.$$eval(".library li .game", (all) => all.findIndex((each) => each.textContent.includes("5 moves"))));
    holds((await text(page, ".game-moves .comment")).includes("illégal"), "3.16: and its mark");
    // One value of the start: head, best square, first line; the book has no other.
    await view(page, "settings");
    await page.select("#settings-level", "8");
    await view(page, "study");
    await press(page, "New board");
    await wait(page, () => document.querySelectorAll(".cell.valued").length === 4 && /depth 8/.test(document.querySelector("#status").textContent) && document.querySelector(".book-move"));
    const [head, square, line, book] = await page.evaluate(() => [".worth", ".cell.best .value", ".lines .value", ".book-moves"].map((each) => document.querySelector(each).textContent));
    is([square, line], [head, head], "3.16: one value of the start");
    holds(!/[+−]\d/.test(book), `3.16: the book has no other value: ${book}`);
  },

  /** A reload before the browser has written a move loses nothing. */
  async reload(page) {
    await weakest(page);
    await pressSquare(page, "f5");
    await yourMove(page);
    const played = await moves(page);
    await page.evaluate(() => { IDBObjectStore.prototype.put = () => { throw new DOMException("busy", "AbortError"); }; });
    await page.evaluate(() => document.querySelector(".squares:not(.still) button.open").click());
    await wait(page, (played) => document.querySelectorAll(".game-moves .mv").length > played, played);
    await pasted(page, "c4c3d3c5", 4);
    await page.keyboard.press("End");
    await pressSquare(page, "b4");
    const rows = await library(page);
    is(rows.length, 2, `reload: two games: ${rows.join(" | ")}`);
    holds(rows.some((row) => /First steps/.test(row) && Number(row.match(/(\d+) moves/)[1]) > played), `reload: the last move: ${rows.join(" | ")}`);
    holds(rows.some((row) => !/First steps/.test(row) && /[45] moves/.test(row)), `reload: the pasted game: ${rows.join(" | ")}`);
    await view(page, "play");
    await yourMove(page);
    holds(await moves(page) > played, "reload: the game goes on");
  },

  /** Opponents are people of a rating, each game with its seed; reports compare mistakes with players of a rating. */
  async people(page) {
    await logRequests(page);
    await load(page, form);
    await view(page, "play");
    await page.evaluate(() => { document.querySelector(".more").open = true; });
    const seeds = [];
    for (const [opponent, budget] of [["club", { person: 1300 }], ["person1400", { person: 1400 }], ["first", { elo: 300 }], ["engine", { level: 1 }]]) {
      await page.evaluate((opponent) => {
        for (const [id, value] of [["opponent", opponent], ["engine-level", "1"]]) {
          document.getElementById(id).value = value;
          document.getElementById(id).dispatchEvent(new Event("change"));
        }
      }, opponent);
      if (opponent !== "club") await page.keyboard.press("n");
      await wait(page, () => document.querySelectorAll(".game-moves .mv").length === 0);
      await page.evaluate(() => { window.log.length = 0; });
      await pressSquare(page, "f5");
      await yourMove(page);
      const [asked] = await page.evaluate(() => window.log.filter((each) => each.turns && !each.losses));
      is([asked.turns, Object.entries(budget).map(([name]) => asked[name])], [[1], Object.values(budget)], `people: ${opponent}`);
      holds(asked.game.includes("B[F5]"), "people: the last move is known");
      seeds.push(asked.seed);
    }
    holds(seeds.slice(0, 3).every(Number.isInteger) && new Set(seeds).size === 4, `people: a seed for each game: ${seeds}`);
    await pasted(page, SIXTY.replace("PB[]PW[]", "PB[Ann]PW[Bob]"));
    await report(page, "4");
    await reported(page);
    const sums = await page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("emilia").onsuccess = ({ target }) => { target.result.transaction("games").objectStore("games").getAll().onsuccess = (found) => resolve(found.target.result.flatMap(({ answers }) => answers ?? []).filter(({ moves }) => moves.length > 1).map(({ moves, rating }) => [rating, moves.reduce((sum, each) => sum + each.find_chance, 0)])); };
    }));
    holds(sums.length > 50 && sums.every(([rating, sum]) => rating === 1550 && Math.abs(sum - 1) < 0.01), `people: chances in the report: ${sums.slice(0, 4)}`);
    const rows = await library(page);
    for (const name of ["Club player", "Player of 1400", "First steps", "Engine"]) holds(rows.some((row) => row.includes(`You – ${name}`)), `people: ${name}: ${rows.join(" | ")}`);
    await click(page, ".stats summary");
    await page.select("#stats-player", "Ann");
    const avoidable = await page.$$eval(".stats-table tbody td:last-child", (all) => all.reduce((sum, each) => sum + Number(each.textContent), 0));
    holds(avoidable > 0, `people: mistakes that most players avoid: ${avoidable}`);
  },

  /** An opening is played against the engine, and drilled. */
  async openings(page) {
    await pasted(page, "f5d6c3d3c4", 5);
    await page.keyboard.press("End");
    await press(page, "Play this opening");
    await inView(page, "play");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length >= 5);
    await yourMove(page);
    await press(page, "Resign");
    await page.evaluate(() => { document.querySelector(".more").open = true; });
    await page.select("#start", "Wing Variation");
    await press(page, "Start");
    await wait(page, () => document.querySelectorAll(".game-moves .mv").length >= 4);
    await yourMove(page);
    is(await page.$$eval(".game-moves .mv", (all) => all.slice(0, 4).map((each) => each.textContent).join("")), "c4c3e6c5", "openings: the moves of the one that was chosen");
    const rows = await library(page);
    holds(rows.some((row) => row.includes("You – Beginner") && row.includes("Tiger") && row.includes("by resignation")), `openings: ${rows.join(" | ")}`);
    holds(rows.some((row) => row.includes("You – Beginner") && row.includes("Wing Variation")), `openings: ${rows.join(" | ")}`);
    await view(page, "study");
    await openWith(page, "Tiger");
    await page.keyboard.press("End");
    await press(page, "Drill this opening");
    await inView(page, "quiz");
    await wait(page, () => document.querySelector(".question h2"));
    // The judgement is that of the value: the best move is right.
    const best = await page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("emilia").onsuccess = ({ target }) => { target.result.transaction("cards").objectStore("cards").getAll().onsuccess = (found) => resolve(found.target.result.map(({ id, opening, moves }) => ({ id, opening, move: moves[0].move }))); };
    }));
    const discs = (id) => id.replace(/[- ]/g, "").length - 1;
    holds(best.length > 0 && best.every(({ id, opening }) => opening.startsWith("Tiger") && discs(id) >= 9), `openings: its questions: ${JSON.stringify(best).slice(0, 300)}`);
    const board = await page.$$eval("#othello .cell", (all) => all.map((each) => (each.matches(".b") ? "X" : each.matches(".w") ? "O" : "-")).join(""));
    await click(page, `.squares [data-square=${best.find(({ id }) => id.startsWith(board)).move}]`);
    await wait(page, () => document.querySelector(".feedback .right"));
    await load(page, form);
    await view(page, "quiz");
    holds((await text(page, "#panel-quiz")).includes(`${best.length} in all`), "openings: the questions after a reload");
    checks.count += 1;
  },

  /** What a screen reader gets of the six parts is what .ci/web-trees.txt has; WRITE_TREES=1 writes it anew. */
  async trees(page) {
    if (page.isFirefox) return;
    // Without values, which depend on time.
    await page.evaluate(() => localStorage.setItem("emilia.settings", JSON.stringify({ engine: false })));
    await load(page, form);
    await page.click(".more summary");
    const lines = [];
    const walk = ({ role, name, children }, depth) => {
      // Empty squares are all alike.
      if (/^[a-h][1-8]: empty$/.test(name)) return;
      const isText = ["StaticText", "InlineTextBox", "RootWebArea", "none", "generic"].includes(role);
      if (!isText) lines.push(`${"  ".repeat(depth)}${role} ${(name ?? "").replace(/[\d.]+ MB|\d\.\d\.\d\S*/g, "N")}`.trimEnd());
      // Of a long list the first ones.
      for (const child of (children ?? []).slice(0, role === "combobox" ? 16 : undefined)) walk(child, isText ? depth : depth + 1);
    };
    for (const name of ["play", "study", "report", "quiz", "library", "settings"]) {
      await view(page, name);
      if (name === "study") await page.waitForSelector(".book-move");
      await sleep(300);
      lines.push(`# ${name}`);
      walk(await page.accessibility.snapshot(), 0);
    }
    const file = path.join(root, ".ci/web-trees.txt");
    const found = `${lines.join("\n")}\n`;
    if (process.env.WRITE_TREES) fs.writeFileSync(file, found);
    is(found, fs.readFileSync(file, "utf8"), "trees: as in .ci/web-trees.txt");
  },

  /** Data of version 1 of the page are all there. */
  async data(page) {
    await page.goto("about:blank");
    await page.goto(form === "file" ? FORMS.file : `${FORMS.host}icon.svg`);
    await page.evaluate(async (ggf) => {
      for (const { name } of await indexedDB.databases()) await new Promise((resolve) => { const asked = indexedDB.deleteDatabase(name); asked.onsuccess = resolve; asked.onblocked = resolve; });
    }, SIXTY);
    const old = { id: "old1", added: 1, ggf: SIXTY.trim(), black: "Old", white: "Data", date: "2026", event: "", moves: 60, result: 2, opening: "Tiger" };
    await page.evaluateOnNewDocument((old) => {
      if (!/^(file|http)/.test(location.protocol) || sessionStorage.getItem("seeded")) return;
      sessionStorage.setItem("seeded", "1");
      localStorage.setItem("emilia.settings", JSON.stringify({ white: "elo1200", start: "board", workers: 4, perspective: "black" }));
      localStorage.setItem("emilia.game", JSON.stringify({ ggf: "(;GM[Othello]PC[Emilia]PB[You]PW[Emilia 1200]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6]B[C3];)", at: 3, id: "" }));
      localStorage.setItem("emilia.playing", "1");
      const asked = indexedDB.open("emilia", 1);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore("games", { keyPath: "id" }).put(old);
        asked.result.createObjectStore("cards", { keyPath: "id" });
      };
      asked.onsuccess = () => asked.result.close();
    }, old);
    await load(page, form);
    await sleep(300);
    const rows = await library(page);
    holds(rows.some((row) => row.includes("Old – Data")), `data: the game of version 1: ${rows.join(" | ")}`);
    holds(rows.some((row) => row.includes("You – Emilia 1200") && row.includes("3 moves")), `data: the game that was open: ${rows.join(" | ")}`);
    await view(page, "settings");
    is(await page.$eval("#perspective", (each) => each.value), "black", "data: the settings");
  },
};

const failed = [];
async function run(row) {
  const begin = Date.now();
  const { browser, page, tab } = await open(form, 1280, "light", kind);
  try {
    await load(page, form);
    await ROWS[row](page, tab);
    is(page.faults, [], `${row}: faults`);
    console.log(`${row}: passed in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
  } catch (error) {
    failed.push(row);
    console.log(`${row}: FAILED: ${String(error.message).slice(0, 900)} ${String(error.stack).match(/web-rows.mjs:\d+/g)?.join(" ")} ${page.faults.slice(0, 3).join(" | ")}`);
    await page.screenshot({ path: path.join(out, `rows-failed-${row}-${kind}.png`) }).catch(() => {});
  } finally {
    await browser.close();
    fs.rmSync(page.downloads, { recursive: true, force: true });
  }
}
const left = Object.keys(ROWS).filter((row) => wanted.length === 0 || wanted.includes(row));
// The longest ones first.
left.sort((a, b) => LONG.indexOf(b) - LONG.indexOf(a));
const work = async () => { for (let row = left.shift(); row; row = left.shift()) await run(row); };
await Promise.all([...Array(Number(process.env.ROWS_AT_ONCE ?? 4))].map(work));
server.close();
console.log(`${kind}: ${checks.count} checks passed${failed.length > 0 ? `; failed: ${failed.join(", ")}` : ""}`);
process.exitCode = failed.length > 0 ? 1 : 0;
