// What the tests of the page for browsers share: a host, browsers, presses, pastes, files, and the look of a page. WEB_FOLDER names a folder
// other than target/web. Needs npm, and Chromium (or CHROMIUM=/path) or Firefox (or FIREFOX=/path).
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const root = path.dirname(import.meta.dirname);
export const folder = path.resolve(process.env.WEB_FOLDER ?? path.join(root, "target/web"));
export const out = path.join(root, "target/browser");
fs.mkdirSync(out, { recursive: true });
if (!fs.existsSync(path.join(out, "node_modules"))) execSync(". .ci/checks; have_browser || { echo $missing; false; }", { cwd: root, shell: "bash", stdio: "inherit" });
const require = createRequire(path.join(out, "package.json"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
const { default: axe } = await import(pathToFileURL(require.resolve("axe-core")).href);
export const { HtmlValidate } = require("html-validate");

export const checks = { count: 0 };
export const is = (found, wanted, what) => {
  assert.deepEqual(found, wanted, what);
  checks.count += 1;
};
export const holds = (found, what) => {
  assert.ok(found, what);
  checks.count += 1;
};
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));


/** A host for the folder. */
const types = { ".html": "text/html", ".wasm": "application/wasm", ".js": "text/javascript", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json" };
/** Whether the host answers no request. */
export const host = { isDown: false };
export const server = http.createServer((request, response) => {
  if (host.isDown) return request.socket.destroy();
  const name = request.url.split("?")[0].replace(/\/$/, "/index.html");
  const file = path.join(folder, "emilia-web", name);
  if (!fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[path.extname(file)] });
  return fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
export const FORMS = { file: pathToFileURL(path.join(folder, "emilia.html")).href, host: `http://127.0.0.1:${server.address().port}/` };

/** Settings of Firefox: downloads without a question, and the theme, which its protocol cannot set. */
const preferences = (downloads, theme) => ({
  "browser.download.dir": downloads, "browser.download.folderList": 2, "browser.download.alwaysOpenPanel": false,
  "ui.systemUsesDarkTheme": theme === "dark" ? 1 : 0, "layout.css.prefers-color-scheme.content-override": theme === "dark" ? 0 : 1, "intl.locale.requested": "en-US", "intl.accept_languages": "en-US",
});

/** A page that notes its faults and its requests to other hosts. */
async function watch(page, form) {
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => {
    const allowed = form === "file" ? /^(file|data|blob|about):/ : /^(http:\/\/127\.0\.0\.1|data|blob|about):?/;
    if (!allowed.test(request.url())) page.faults.push(`asks ${request.url().slice(0, 80)}`);
  });
  return page;
}

/** A browser without data, with a page. `kind` is chromium or firefox. */
export async function open(form, width, theme, kind = "chromium") {
  const downloads = fs.mkdtempSync(path.join(out, "downloads-"));
  const isFirefox = kind === "firefox";
  const browser = await puppeteer.launch(isFirefox ? {
    browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", extraPrefsFirefox: preferences(downloads, theme), protocolTimeout: 300000,
  } : {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--lang=en-US"], protocolTimeout: 300000,
  });
  const small = width < 500;
  const tab = async () => {
    const page = await watch(await browser.newPage(), form);
    page.isFirefox = isFirefox;
    page.downloads = downloads;
    page.setDefaultTimeout(120000);
    await page.setViewport(isFirefox ? { width, height: small ? 844 : 900 } : { width, height: small ? 844 : 900, isMobile: small, hasTouch: small });
    if (isFirefox) return page;
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
    return page;
  };
  return { browser, page: await tab(), tab };
}

export async function load(page, form) {
  const begin = Date.now();
  await page.goto("about:blank", { timeout: 120000 });
  await page.goto(FORMS[form], { timeout: 120000 });
  await page.waitForFunction(() => document.documentElement.matches(".ready.resumed"), { timeout: 60000, polling: 100 });
  return Date.now() - begin;
}

export const text = (page, selector) => page.$eval(selector, (each) => each.textContent);
export const count = (page, selector) => page.$$eval(selector, (all) => all.length);
export const click = (page, selector) => page.$eval(selector, (each) => each.click());
export const discsOn = (page) => page.$$eval(".cell.b, .cell.w", (all) => all.length);
/** A press on the button with this label. */
export const press = (page, label) => page.evaluate((label) => {
  const found = [...document.querySelectorAll("button")].find((each) => each.textContent === label && each.getBoundingClientRect().width > 0);
  if (!found) throw new Error(`no button ${label}`);
  found.click();
}, label);

export async function view(page, name) {
  await page.evaluate((name) => { location.hash = name; }, `#${name}`);
  await page.waitForFunction((name) => document.body.dataset.view === name, { polling: 100 }, name);
}

export const paste = (page, words) => page.evaluate((words) => {
  const data = new DataTransfer();
  data.setData("text/plain", words);
  // Firefox makes the data itself.
  document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, dataType: "text/plain", data: words, bubbles: true, cancelable: true }));
}, words);

/** A file dropped onto the page. */
export const drop = (page, name, hex) => page.evaluate((name, hex) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(hex.match(/../g).map((byte) => parseInt(byte, 16)))], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}, name, hex);

export async function saved(page, ending) {
  for (let tries = 0; tries < 200; tries += 1) {
    // Firefox makes an empty file first.
    const isWhole = (name) => name.endsWith(ending) && fs.statSync(path.join(page.downloads, name)).size > 0;
    const name = fs.readdirSync(page.downloads).find(isWhole);
    if (name) return fs.readFileSync(path.join(page.downloads, name), "utf8");
    await sleep(50);
  }
  return assert.fail(`no ${ending} was saved`);
}

/** Nothing reaches beyond the window, and axe finds no fault. */
export async function looksRight(page, what) {
  // Messages and movements are over.
  await page.evaluate(() => document.getElementById("said").classList.remove("on"));
  await sleep(400);
  const cut = await page.evaluate((width) => [...document.querySelectorAll("body *")].filter((each) => {
    const box = each.getBoundingClientRect();
    const inBox = each.closest(".unseen, svg, .game-moves, .pv, .status, #said");
    return !inBox && box.width > 0 && (box.right > width + 1 || box.left < -1);
  }).map((each) => `${each.tagName}.${each.className}`), page.viewport().width);
  is(cut, [], `${what}: cut off`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run({ iframes: false }));
  is(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`), [], `${what}: axe`);
  is(page.faults, [], `${what}: faults`);
  await page.screenshot({ path: path.join(out, `web-${what}.png`), fullPage: page.viewport().width < 500 && !what.includes("report") });
}
