// What `.ci/browser` does with the pages in the folder that it is given.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import puppeteer from "puppeteer-core";
import axe from "axe-core";
import { HtmlValidate } from "html-validate";

const folder = process.argv[2];
const file = (name) => `file://${path.join(folder, name)}`;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const downloads = fs.mkdtempSync(path.join(folder, "downloads-"));
let checks = 0;
const is = (found, wanted, what) => {
  assert.deepEqual(found, wanted, what);
  checks += 1;
};
const holds = (found, what) => {
  assert.ok(found, what);
  checks += 1;
};

/* A page whose faults and requests end the run. */
async function open(name, width, theme) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => assert.fail(`${name}: ${error.message}`));
  page.on("console", (message) => assert.notEqual(message.type(), "error", `${name}: ${message.text()}`));
  page.on("request", (request) => assert.match(request.url(), /^(file|data|blob):/, `${name} asks the network`));
  const small = width < 500;
  await page.setViewport({ width, height: 900, isMobile: small, hasTouch: small });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  await page.goto(file(name));
  return page;
}

/* Nothing reaches beyond the window or its own box, and axe finds no fault. */
async function looksRight(page, what) {
  const wide = await page.evaluate((width) => {
    const cut = [...document.querySelectorAll("body *")].filter((each) => {
      const style = getComputedStyle(each);
      const box = each.getBoundingClientRect();
      const unseen = style.clipPath !== "none" || box.width === 0 || each.closest("svg");
      return !unseen && (box.right > width + 1 || box.left < -1 || (style.overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1));
    });
    return cut.map((each) => `${each.tagName}.${each.className}: ${each.textContent.trim().slice(0, 40)}`);
  }, page.viewport().width);
  is(wide, [], `${what}: cut off`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  is(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`), [], `${what}: axe`);
}

const picture = (page, name, fullPage = false) => page.screenshot({ path: `${name}.png`, fullPage });
const text = (page, selector) => page.$eval(selector, (each) => each.textContent);
const count = (page, selector) => page.$$eval(selector, (all) => all.length);

/* A file that the page saves. */
async function saved(ending) {
  for (let tries = 0; tries < 100; tries += 1) {
    const name = fs.readdirSync(downloads).find((each) => each.endsWith(ending));
    if (name) {
      const bytes = fs.readFileSync(path.join(downloads, name));
      fs.rmSync(path.join(downloads, name));
      return bytes;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no ${ending} was saved`);
}

async function studyBoard(width, theme) {
  const what = `${width}-${theme}`;
  const page = await open("one.html", width, theme);
  const panel = () => text(page, "#panel");
  const press = (id) => page.click(`#${id}`);
  const move = () => panel().then((words) => Number(/^Move (\d+)/.exec(words)?.[1]));

  // It begins at the first mistake, with the values of all legal moves on the squares and in the table.
  const first = await move();
  holds(/Played: .*lost/.test(await panel()), "begins at a mistake");
  const legal = await count(page, ".cell.open");
  is(await count(page, ".cell.value"), legal, "a value on every legal square");
  is(await count(page, "#choices tbody tr"), legal, "and in the table");
  is(await count(page, ".cell.best"), await count(page, "#choices td.best"), "the best ones");
  holds(/^[+\u2212]?\d/.test(await text(page, ".cell.value text")), "values are numbers");
  await looksRight(page, `game ${what}`);
  await picture(page, `game-${what}`, true);

  // The whole game is one key away; steps; mistakes; passes have no number.
  await page.keyboard.press("Home");
  is(await move(), 1, "Home");
  is(await page.evaluate(() => location.hash), "#1", "the address follows");
  await page.keyboard.press("ArrowRight");
  is(await move(), 2, "a step");
  await press("back");
  is(await move(), 1, "and back");
  for (let tries = 0; tries < 10 && (await move()) < first; tries += 1) await page.keyboard.press("ArrowDown");
  is(await move(), first, "from mistake to mistake");
  await page.evaluate(() => { location.hash = "#8-pass"; });
  await page.waitForFunction(() => document.getElementById("panel").textContent.includes("passes"));
  is(await move(), 9, "a pass has no number");
  await press("next");
  is(await move(), 9, "the move after it has the next");
  await press("last");
  is(await page.evaluate(() => location.hash), "#end", "the end");
  await press("first");

  // Another move is played: its line, step by step, further moves in it, and back.
  const played = await page.$eval(".choices tr.played .try", (each) => each.textContent).catch(() => "");
  const other = await page.$$eval(".cell.open", (all, played) => all.map((each) => each.dataset.square).find((square) => square !== played), played);
  await page.click(`[data-square=${other}]`);
  holds((await panel()).includes(`Instead of ${played}: ${other}`), "a line");
  const steps = await count(page, ".line-moves button");
  await page.keyboard.press("ArrowRight");
  is(await page.$$eval(".line-moves button", (all) => all.findIndex((each) => each.ariaCurrent === "step")), Math.min(1, steps - 1), "a step in it");
  await looksRight(page, `line ${what}`);
  await page.click(".cell.open");
  holds(await count(page, ".line-moves button") > 0, "a move of one's own");
  await picture(page, `line-${what}`);
  await page.keyboard.press("Escape");
  holds((await panel()).includes("Played: 1."), "back in the game");
  await page.click("#choices tbody tr:last-child .try");
  holds(/Instead of|Move 2/.test(await panel()), "a move by its button");
  await page.keyboard.press("Home");

  // What is shown can be chosen.
  await press("last");
  await press("numbers");
  is(await page.$$eval(".cell.number text", (all) => all.map((each) => Number(each.textContent)).sort((a, b) => a - b)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "a number in every disc that was placed");
  await picture(page, `numbers-${what}`);
  await press("locks");
  await press("numbers");
  await press("first");
  await press("values");
  is([await count(page, ".cell.value"), await count(page, "#choices tr")], [0, 0], "values hidden");
  await press("values");
  await press("locks");

  // Copies and pictures.
  const context = browser.defaultBrowserContext();
  await context.overridePermissions("file://", []).catch(() => {});
  await page.evaluate(() => {
    window.copied = [];
    Object.defineProperty(navigator, "clipboard", { value: { writeText: (text) => Promise.resolve(window.copied.push(text)) } });
  });
  for (const id of ["copy-moves", "copy-ggf", "copy-position"]) await press(id);
  const [moves, ggf, position] = await page.evaluate(() => window.copied);
  is(moves, "f5f6d3g5h5h4f7h6e7d7", "moves");
  holds(ggf.startsWith("(;GM[Othello]") && ggf.includes("B[PA]"), "GGF");
  is(position, "---------------------------OX------XO--------------------------- X", "the position");
  await press("save-svg");
  const svg = (await saved(".svg")).toString();
  holds(svg.startsWith("<svg") && svg.includes("xmlns=") && !svg.includes("class=\"hit\""), "SVG");
  await press("save-png");
  const png = await saved(".png");
  is([...png.subarray(0, 4), png.readUInt32BE(16), png.readUInt32BE(20)], [137, 80, 78, 71, 888, 888], "PNG");
  if (width > 500 && theme === "light") fs.writeFileSync("saved.png", png);

  // A press on a move of the list, on a mistake and on the chart: the board shows it, in sight.
  const shown = () => page.$eval("#board", (each) => each.getBoundingClientRect().top >= -1 && each.getBoundingClientRect().bottom <= innerHeight + 1);
  await page.evaluate(() => document.documentElement.style.setProperty("scroll-behavior", "auto"));
  for (const selector of [".moves a[data-ply=\"3\"]", ".mistakes tbody tr:last-child a", ".decisive li a"]) {
    if (await count(page, selector) === 0) continue;
    const wanted = await page.$eval(selector, (each) => each.hash);
    await page.click(selector);
    is(await page.evaluate(() => location.hash), wanted, selector);
    holds(await shown(), `${selector}: the board is in sight`);
  }
  await page.click(".scores .plot");
  await page.click(".mistakes th:nth-child(3) .sort");
  const discs = await page.$$eval(".mistakes td:nth-child(3)", (all) => all.map((each) => Number(each.dataset.key)));
  is(discs, [...discs].sort((a, b) => b - a), "mistakes by discs");

  // Everything that can be pressed is reached by Tab.
  const reached = await page.evaluate(() => [...document.querySelectorAll("button, a, input, select")].filter((each) => each.tabIndex < 0).length);
  is(reached, 0, "in the order of Tab");
  await page.close();
}

async function site(width, theme) {
  const what = `${width}-${theme}`;
  const page = await open("six/index.html", width, theme);
  await looksRight(page, `index ${what}`);
  await picture(page, `index-${what}`);
  const rows = () => page.$$eval("#games tbody tr", (all) => all.filter((each) => each.getBoundingClientRect().height > 0).length);
  is(await rows(), 6, "games");
  await page.type("[name=search]", "greedy");
  is(await rows(), 6, "a search for one who played all");
  await page.type("[name=search]", " nobody");
  is([await rows(), await text(page, ".filters [role=status]")], [0, "0 of 6"], "a search for nobody");
  await page.click("[type=reset]");
  await page.waitForFunction(() => document.querySelector(".filters [role=status]").textContent === "6 of 6");
  await page.select("[name=result]", "black");
  const black = await rows();
  await page.select("[name=result]", "white");
  holds(black + await rows() <= 6 && black + await rows() > 0, "results");
  await page.select("[name=result]", "");
  await page.select("[name=player]", "0");
  is(await rows(), 6, "a player");
  await page.click("#games th:nth-child(4) .sort");
  const scores = await page.$$eval("#games td:nth-child(4)", (all) => all.map((each) => Number(each.dataset.key)));
  is(scores, [...scores].sort((a, b) => b - a), "sorted by result");
  is(await page.$eval("#games th:nth-child(4)", (each) => each.ariaSort), "descending", "and said so");

  await Promise.all([page.waitForNavigation(), page.click(".players tbody a")]);
  await looksRight(page, `player ${what}`);
  await picture(page, `player-${what}`, true);
  await Promise.all([page.waitForNavigation(), page.click(".worst tbody a")]);
  holds((await text(page, "#panel")).includes("lost"), "a costly move opens its game there");
  await Promise.all([page.waitForNavigation(), page.click(".home a")]);
  await page.close();
}

/* A thousand games: the best of three openings, with all that the browser does. */
async function thousand() {
  const times = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const page = await open("thousand/index.html", 1200, "light");
    times.push(await page.evaluate(() => new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    })));
    if (tries === 0) {
      const rows = () => page.$$eval("#games tbody tr", (all) => all.filter((each) => each.getBoundingClientRect().height > 0).length);
      is(await rows(), 100, "the first hundred");
      await page.click("#games th:nth-child(4) .sort");
      is(await rows(), 100, "the first hundred, sorted");
      await page.click("#games + .more");
      is(`${await rows()} of ${await rows()}`, await text(page, ".filters [role=status]"), "all");
      const begin = Date.now();
      await page.type("[name=search]", "g");
      console.log(`a search among them: ${Date.now() - begin} ms`);
      await picture(page, "thousand");
    }
    await page.close();
  }
  const size = fs.statSync(path.join(folder, "thousand/index.html")).size;
  console.log(`the index of a thousand games: ${size} bytes, shown after ${Math.min(...times).toFixed(0)} ms`);
  holds(Math.min(...times) < 1000, "under a second");
}

async function valid() {
  const rules = { "no-inline-style": "off", "long-title": "off", "void-style": "off", "no-implicit-button-type": "error" };
  const checker = new HtmlValidate({ extends: ["html-validate:standard"], rules });
  const names = ["one.html", "ja.html", ...(fs.existsSync(path.join(folder, "engine.html")) ? ["engine.html"] : []), "six/index.html", ...fs.readdirSync(path.join(folder, "six")).map((name) => `six/${name}`)];
  for (const name of new Set(names)) {
    const report = await checker.validateString(fs.readFileSync(path.join(folder, name), "utf8").replace(/(id="engine"[^>]*>)[^<]*/, "$1"));
    const faults = report.results.flatMap((result) => result.messages.map(({ ruleId, message, line }) => `${ruleId}, line ${line}: ${message}`));
    is(faults.slice(0, 10), [], `${name} is valid HTML`);
  }
}

/* With the engine inside, side lines have values; its page asks no network. */
async function engine(width, theme) {
  if (!fs.existsSync(path.join(folder, "engine.html"))) return;
  const page = await open("engine.html", width, theme);
  await page.evaluate(() => document.querySelectorAll(".choices .try")[document.querySelectorAll(".choices .try").length - 1].click());
  await page.waitForFunction(() => document.querySelectorAll(".cell.value").length > 1 && document.querySelector(".line-moves"), { timeout: 30000 });
  holds(/depth \d+|proven/.test(await text(page, "#panel")), "how deep");
  const before = await count(page, ".line-moves button");
  await page.evaluate(() => document.querySelector(".choices .try").click());
  await page.waitForFunction((before) => document.querySelectorAll(".line-moves button").length !== before || document.querySelectorAll(".line-moves .on").length > 0, {}, before);
  await looksRight(page, `engine ${width}-${theme}`);
  await picture(page, `engine-${width}-${theme}`, true);
  await page.close();
}

await valid();
for (const width of [1200, 390]) {
  for (const theme of ["light", "dark"]) {
    await studyBoard(width, theme);
    await site(width, theme);
    await engine(width, theme);
    const page = await open("ja.html", width, theme);
    await looksRight(page, `ja ${width}-${theme}`);
    await picture(page, `ja-${width}-${theme}`, true);
    await page.close();
  }
}
await thousand();
await browser.close();
console.log(`${checks} checks passed; the pictures are in ${process.cwd()}`);
