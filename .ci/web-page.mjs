// Packs the page and the engine: target/web/emilia.html, one file that opens from the disk, and target/web/emilia-web/, a folder
// for any static host. Usage: node .ci/web-page.mjs [emilia.wasm [FOLDER]]; needs the module that .ci/web builds.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const root = path.dirname(import.meta.dirname);
const wasm = process.argv[2] ?? path.join(root, "target/web/emilia.wasm");
const out = process.argv[3] ?? path.join(root, "target/web");
const page = path.join(root, "src/web/page");
const read = (...names) => fs.readFileSync(path.join(...names), "utf8");

/** The modules, each after those that it imports. */
const MODULES = [
  "dom", "text", "settings", "store", "tree", "engine", "board", "graph", "desk", "app", "moves", "opponents", "editor", "share", "study", "play",
  "library", "report", "quiz", "stats", "options", "open", "main",
];

/** A module as a part of one script: its names are those of all. */
const bare = (code) => code.replace(/^import\s[\s\S]*?from\s+"[^"]+";\n/gm, "").replace(/^export (?=async|class|const|function|let)/gm, "");

function script() {
  const listed = MODULES.map((name) => `${name}.js`);
  const found = fs.readdirSync(page).filter((name) => name.endsWith(".js") && !["worker.js", "sw.js"].includes(name));
  const missing = found.filter((name) => !listed.includes(name));
  if (missing.length > 0) throw new Error(`.ci/web-page.mjs: MODULES lacks ${missing}`);
  return `(async () => {\n"use strict";\n${listed.map((name) => bare(read(page, name))).join("\n")}})();`;
}

const worker = () => bare(read(root, "src/web/glue.mjs")) + bare(read(page, "worker.js"));

/** Text of a script element that holds no script. */
const data = (id, type, text, more = "") => `<script type="${type}" id="${id}"${more}>${text}</script>\n`;
const languages = () => Object.fromEntries(["en", "fr", "ja", "openings"].map((name) => [name, JSON.parse(read(page, "texts", `${name}.json`))]));

/** What the page may load: nothing from anywhere else. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; " +
  "img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self' data:; manifest-src 'self'; form-action 'none'; base-uri about:";

function html(head, engine) {
  const texts = JSON.stringify(languages()).replaceAll("<", "\\u003c");
  const parts = {
    "<!-- head -->": `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n${head}`,
    "/* style */": read(root, "src/report/style.css") + read(page, "style.css"),
    "<!-- data -->": data("texts", "application/json", texts) + data("worker", "text/plain", `\n${worker()}`) + engine,
    "/* script */": script(),
  };
  let text = read(page, "index.html");
  for (const [place, part] of Object.entries(parts)) text = text.replace(place, () => part);
  return text;
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><defs><radialGradient id="b" cx="36%" cy="30%"><stop offset="0" stop-color="#565e5a"/><stop offset="1" stop-color="#0c0f0e"/></radialGradient></defs><rect width="64" height="64" rx="14" fill="#2e8b57"/><path d="M32 6V58M6 32H58" stroke="#1d6a3f" stroke-width="2"/><circle cx="20" cy="20" r="11" fill="#fff"/><circle cx="44" cy="44" r="11" fill="#fff"/><circle cx="44" cy="20" r="11" fill="url(#b)"/><circle cx="20" cy="44" r="11" fill="url(#b)"/></svg>`;
const MANIFEST = {
  name: "Emilia \u2013 Othello", short_name: "Emilia", start_url: "./", scope: "./", display: "standalone", background_color: "#121615", theme_color: "#2e8b57",
  description: "Play, study and analyze Othello", icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" }],
};

const module = fs.readFileSync(wasm);
const packed = zlib.gzipSync(module, { level: 9 }).toString("base64");
const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">`;
// `emilia report --engine` takes worker and engine from here, of its own version.
const version = read(root, "Cargo.toml").match(/^version = "(.*)"$/m)[1];
const one = html(icon, data("engine", "text/plain", packed, ` data-version="${version}"`));
const many = html('<link rel="icon" href="icon.svg">\n<link rel="manifest" href="manifest.webmanifest">', "");
const state = crypto.createHash("sha256").update(module).update(many).digest("hex").slice(0, 12);
const files = {
  "emilia.html": one,
  "emilia-web/index.html": many,
  "emilia-web/emilia.wasm": module,
  "emilia-web/sw.js": read(page, "sw.js").replace("/* version */", state),
  "emilia-web/manifest.webmanifest": JSON.stringify(MANIFEST, null, 1),
  "emilia-web/icon.svg": ICON,
};
for (const [name, content] of Object.entries(files)) {
  const file = path.join(out, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  console.log(`${name}: ${Buffer.byteLength(content)} bytes`);
}
