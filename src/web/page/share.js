// Sharing: links to a game and a move in it, copies, files, pictures.
import { ask, button, copy, make, save, say } from "./dom.js";
import { t } from "./text.js";
import { key, path } from "./tree.js";

/** The pixels of a side of a saved picture. */
const PIXELS = 888;

/** @typedef {import("./app.js").App} App */

/** The part of an address that opens the game at this move. @param {App} app */
function address(app) {
  const { tree, place } = app;
  const isMain = tree.isMain(place);
  const moves = tree.isUsualStart() ? tree.moves(isMain ? tree.end() : place) : "";
  const at = path(place).filter(({ move }) => move && move !== "--").length;
  if (moves || tree.isUsualStart()) return `#g=${moves}&at=${at}`;
  return `#p=${key(tree.root).replace(" ", "")}&g=${tree.moves(isMain ? tree.end() : place)}&at=${at}`;
}

/**
 * Opens the game of an address such as `#g=f5d6c3&at=2`, or `#p=BOARD&g=MOVES`.
 * @param {App} app @param {string} hash
 * @returns {Promise<boolean>} whether the address names a game
 */
export async function openAddress(app, hash) {
  const asked = new URLSearchParams(hash.slice(1));
  if (!asked.has("g") && !asked.has("p")) return false;
  history.replaceState(null, "", "#study");
  app.show("study");
  const board = asked.get("p") ?? "";
  const moves = asked.get("g") ?? "";
  const start = board ? `${board.slice(0, 64)} ${board.slice(64)}` : "";
  try {
    const { games, errors } = await app.engine.call("games", { text: start && moves ? `${start}\nmoves: ${moves}` : start || moves });
    const game = games[0] ?? errors[0]?.part;
    const note = errors[0] ? app.explain(errors[0]) : "";
    if (game) await app.openGame(game, asked.has("at") ? Number(asked.get("at")) : undefined, note);
    else if (note) say(note);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
  return true;
}

/** The board as pixels. @param {string} svg @returns {Promise<Blob>} */
async function png(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PIXELS;
  canvas.getContext("2d")?.drawImage(image, 0, 0, PIXELS, PIXELS);
  return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture")))); });
}

/** The game that is shown as a file. @param {App} app */
async function saveGame(app) {
  const { tree } = app;
  const format = await ask(make("div", "", make("h2", "", t("save-game")), make("p", "quiet", t("export-help"))),
    [["sgf", "SGF"], ["pgn", "PGN"], ["ggf", "GGF"], ["", t("cancel")]]);
  if (!format) return;
  const { text } = format === "sgf" ? { text: tree.sgf() } : await app.engine.call("write", { text: tree.write(), format });
  save(`game.${format}`, `${text.trim()}\n`);
}

/** The buttons of Study that share. @param {App} app @param {import("./desk.js").Desk} desk */
export function shareCard(app, desk) {
  const copied = async (/** @type {string} */ text) => say(t(await copy(text) ? "copied" : "copy-refused"));
  const moves = () => (app.tree.moves() ? copied(app.tree.moves()) : say(t("nothing-to-copy")));
  const link = () => (location.protocol === "file:" ? moves() : copied(location.href.replace(/#.*/, "") + address(app)));
  const picture = async () => {
    const kind = await ask(make("div", "", make("h2", "", t("save-picture"))), [["png", "PNG"], ["svg", "SVG"], ["", t("cancel")]]);
    if (kind === "svg") save("position.svg", desk.board.picture(), "image/svg+xml");
    if (kind === "png") await png(desk.board.picture()).then((blob) => save("position.png", blob, "image/png"), (error) => say(error.message));
  };
  return [
    button(t("copy-moves"), "", moves),
    button(t("copy-link"), "", link),
    button(t("copy-position"), "", () => copied(key(app.place))),
    button(t("save-game"), "", () => saveGame(app)),
    button(t("save-picture"), "", picture),
    button(t("draw-arrows"), "", () => desk.board.toggleDrawing()),
  ];
}

