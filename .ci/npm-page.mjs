// Opens a bundled page in Chromium and waits for its report: `node .ci/npm-page.mjs FOLDER`.
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const require = createRequire(path.resolve("target/browser/package.json"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
const types = { ".html": "text/html", ".wasm": "application/wasm", ".js": "text/javascript" };
const server = http.createServer((request, response) => {
  const file = path.join(folder, request.url.replace(/\/$/, "/index.html").split("?")[0]);
  if (!fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[path.extname(file)] ?? "text/plain" });
  return fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"], protocolTimeout: 600_000 });
const page = await browser.newPage();
page.on("pageerror", (error) => console.log(error.message));
const outcome = await new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("the page reports nothing")), 500_000).unref();
  page.exposeFunction("report", resolve)
    .then(() => page.goto(`http://127.0.0.1:${server.address().port}/`, { timeout: 300_000 }))
    .catch(reject);
});
console.log(outcome);
await browser.close();
server.close();
process.exitCode = outcome.startsWith("failed") ? 1 : 0;
