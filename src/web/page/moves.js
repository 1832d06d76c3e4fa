// The moves of a game: two columns, side lines between them; on a phone one strip.
import { button, fill, make } from "./dom.js";
import { t } from "./text.js";
import { grade, lossOf } from "./tree.js";

/** @typedef {import("./tree.js").Place} Place */
/** @typedef {import("./app.js").App} App */

/** The box that `drawSheet` fills. */
export function sheetHost() {
  const host = make("div", "game-moves");
  host.tabIndex = 0;
  host.setAttribute("role", "region");
  host.setAttribute("aria-label", t("moves"));
  return host;
}

/** Draws the game, and brings the current move into sight. @param {HTMLElement} host @param {App} app */
export function drawSheet(host, app, losses = true, lines = true) {
  const { tree } = app;
  const sheet = make("div", "sheet-moves");
  const main = tree.main();
  if (lines && tree.root.comment) sheet.append(make("p", "comment", tree.root.comment));
  for (const at of main) {
    const next = at === tree.tip ? undefined : at.children[0];
    const others = lines ? at.children.slice(next ? 1 : 0) : [];
    if (next) {
      if (at.side !== "white" || at === main[0]) sheet.append(make("span", "no", `${at.number}`));
      if (at.side === "white" && at === main[0]) sheet.append(make("span", "gap", "\u2026"));
      sheet.append(moveButton(app, at, next, losses));
    }
    const comment = lines ? next?.comment : "";
    if (others.length > 0 || comment) {
      if (at.side === "black") sheet.append(make("span", "gap", "\u2026"));
      if (comment) sheet.append(make("p", "comment", comment));
      for (const each of others) sheet.append(make("div", "side-line", ...sideLine(app, at, each, losses)));
      if (at.side === "black" && next?.children[0]) sheet.append(make("span", "no", `${next.number}`), make("span", "gap", "\u2026"));
    }
  }
  if (tree.root.children.length === 0) sheet.append(make("p", "quiet", t("no-moves")));
  fill(host, sheet);
  const current = host.querySelector("[aria-current]");
  if (!current) return;
  const [box, seen] = [current.getBoundingClientRect(), host.getBoundingClientRect()];
  host.scrollTop += box.top - seen.top - host.clientHeight / 2;
  host.scrollLeft += box.left - seen.left - host.clientWidth / 2;
}

/** @param {App} app @param {Place} at @param {Place} next @param {boolean} losses whether to show what the move lost */
function moveButton(app, at, next, losses) {
  const loss = next.move === "--" || !losses ? undefined : lossOf(at, next.move);
  const made = button(next.move === "--" ? t("pass") : next.move, "mv", () => app.go(next));
  if (loss !== undefined && loss >= 2) {
    made.append(make("span", `loss ${grade(loss)}`, `\u2212${loss.toFixed(loss < 10 ? 1 : 0)}`));
  }
  made.dataset.key = `${at.number}${next.move}${next.board}`;
  if (next === app.place) made.setAttribute("aria-current", "step");
  return made;
}

/** A side line: its moves in a row, further ones in brackets. @param {App} app @param {Place} at @param {Place} first @param {boolean} losses @returns {Node[]} */
function sideLine(app, at, first, losses) {
  const parts = [];
  let from = at;
  for (let next = /** @type {Place | undefined} */ (first); next; from = next, next = next.children[0]) {
    if (from === at || from.side === "black") parts.push(make("span", "no", `${from.number}${from.side === "white" ? "\u2026" : "."}`));
    parts.push(moveButton(app, from, next, losses));
    if (next.comment) parts.push(make("span", "comment", next.comment));
    if (from === at) continue;
    for (const each of from.children.slice(1)) parts.push(make("span", "inner", "(", ...sideLine(app, from, each, losses), ")"));
  }
  return parts;
}
