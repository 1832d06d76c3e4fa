// Games and positions that the user pastes, drops, types or picks as files.
import { ask, get, make, say } from "./dom.js";
import { labeled, spoken, t } from "./text.js";
import { Tree, isPass } from "./tree.js";

/** The most bytes of a file: a WTHOR year has some hundred thousand. */
const LARGEST = 32 * 1048576;

/** @param {Uint8Array} bytes */
const digits = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes of a file, unpacked. @param {Blob} file */
async function content(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A fault of the reader in the user's language, with its place; English is the reader's own. @param {any} fault */
export function explain(fault) {
  const { code, line, column, ply, game, move, found, message } = fault;
  if (spoken() === "en") return game ? `${t("at-game", { game })}: ${message}` : message;
  const place = [game ? t("at-game", { game }) : "", ply ? t("at-move", { ply }) : "", line ? t("at-line", { line, column }) : ""].filter(Boolean).join(", ");
  const known = t(`fault-${code}`, { move }) + (found ? ` (${found})` : "");
  return place ? labeled(place, known) : known;
}

/** What the reader left out or assumed, in the user's language. */
const LEFT_OUT = /** @type {Record<string, string>} */ ({
  "comments on moves": "left-comments", "variations": "left-variations", "marks and signs at moves": "left-marks", "values and times of moves": "left-values",
});
const warning = (/** @type {string} */ text) => labeled(t("left-out"), text in LEFT_OUT ? t(LEFT_OUT[text]) : text);

/** The game up to its fault, if a text has no other; the fault is marked there. A text with two readings is no game: the user decides. */
function parts(/** @type {any} */ { games, errors }) {
  const [fault] = errors;
  if (games.length > 0 || errors.length !== 1 || !fault.part || fault.code === "two-readings") return [];
  fault.part.positions.at(-1).comment = explain(fault);
  return [fault.part];
}

export class Opener {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    /** The names of players and tournaments of the WTHOR files that were dropped. */
    this.names = { players: "", tournaments: "" };
    get("open").addEventListener("click", () => this.dialog());
    document.addEventListener("paste", (event) => {
      const isField = /** @type {any} */ (event.target)?.closest?.("input, textarea, select");
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const files = [...event.clipboardData?.files ?? []];
      if (isField || (!text && files.length === 0)) return;
      event.preventDefault();
      if (files.length > 0) this.files(files);
      else this.read({ text });
    });
    const drop = get("drop");
    addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.hidden = false;
    });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.hidden = true; });
    addEventListener("drop", (event) => {
      event.preventDefault();
      drop.hidden = true;
      const files = [...event.dataTransfer?.files ?? []];
      if (files.length > 0) this.files(files);
      else this.read({ text: event.dataTransfer?.getData("text/plain") ?? "" });
    });
  }

  async dialog() {
    const area = make("textarea");
    area.rows = 8;
    area.spellcheck = false;
    area.setAttribute("aria-label", t("open-text"));
    area.placeholder = "f5d6c3d3c4…";
    const file = make("input");
    file.type = "file";
    file.multiple = true;
    file.setAttribute("aria-label", t("open-file"));
    file.addEventListener("change", () => {
      file.closest("dialog").close("");
      this.files([...file.files]);
    });
    const box = make("div", "open-box", make("h2", "", t("open")), make("p", "quiet", t("open-help")), area, file);
    if (await ask(box, [["read", t("open-read")], ["", t("cancel")]]) === "read") await this.read({ text: area.value });
  }

  /** Reads files, those with the names of the WTHOR base first. @param {File[]} files */
  async files(files) {
    const kind = (/** @type {File} */ { name }) => name.toLowerCase().match(/\.(jou|trn|wtb|wth)(\.gz)?$/)?.[1] ?? "text";
    const sorted = files.slice().sort((a, b) => Number(/jou|trn/.test(kind(b))) - Number(/jou|trn/.test(kind(a))));
    /** @type {any[]} */
    const games = [];
    /** @type {string[]} */
    const faults = [];
    for (const file of sorted) {
      try {
        if (file.size > LARGEST) throw new Error(t("file-large", { name: file.name }));
        const bytes = await content(file);
        if (kind(file) === "jou") this.names.players = digits(bytes);
        else if (kind(file) === "trn") this.names.tournaments = digits(bytes);
        else {
          const isBase = /wt/.test(kind(file)) || bytes.includes(0);
          const what = isBase ? { hex: digits(bytes), ...this.names } : { text: new TextDecoder().decode(bytes) };
          const found = await this.app.engine.call("games", what);
          games.push(...found.games);
          faults.push(...found.errors.map((/** @type {any} */ fault) => labeled(file.name, explain(fault))));
          if (files.length === 1) games.push(...parts(found));
        }
      } catch (error) {
        faults.push(labeled(file.name, error instanceof Error ? error.message : String(error)));
      }
    }
    if (games.length === 0 && faults.length === 0) return say(t("names-read"));
    return this.take(games, faults);
  }

  /**
   * Reads what the program reads.
   * @param {{ text?: string, hex?: string }} what
   */
  async read(what) {
    if (what.text !== undefined && what.text.trim() === "") return say(t("nothing-found"));
    try {
      const found = await this.app.engine.call("games", what);
      return await this.take([...found.games, ...parts(found)], found.errors.map(explain));
    } catch (error) {
      return say(error instanceof Error ? error.message : String(error));
    }
  }

  /** Shows one game; several go to the library. @param {any[]} games @param {string[]} faults */
  async take(games, faults) {
    if (games.length === 0) return say(faults[0] ?? t("nothing-found"));
    const notes = [...faults, ...games.flatMap((game) => (game.warnings ?? []).map(warning))];
    if (games.length > 1) {
      const before = new Set(this.app.store.all("games").map(({ id }) => id));
      await this.app.library.keepAll(games);
      const added = this.app.store.all("games").filter(({ id }) => !before.has(id));
      this.app.visit("library");
      this.app.draw();
      if (added.length === 0) return say([t("games-known", { count: games.length }), ...notes.slice(0, 1)].join(" "));
      return this.app.canUndo([t("games-added", { count: added.length }), ...notes.slice(0, 1)].join(" "), () => this.app.library.remove(added));
    }
    // At its fault, if it has one.
    return this.openGame(games[0], faults.length > 0 ? games[0].moves.length : undefined, notes[0]);
  }

  /** Shows a game in Study; one that the library has is not kept twice. @param {any} game @param {number} [at] moves before the place that is shown */
  async openGame(game, at, note = "") {
    const known = this.app.library.known(game);
    const tree = known && !game.sgf ? await this.app.library.forStudy(known) : new Tree(game);
    if (!tree.id) tree.isChanged = tree.isWorthKeeping();
    if (game.result !== undefined) tree.fix();
    let place = tree.root;
    for (let left = at ?? 0; left > 0 || isPass(place); left -= isPass(place) ? 0 : 1) {
      if (place === tree.tip || !place.children[0]) break;
      [place] = place.children;
    }
    this.app.study(tree, place, note || t("opened"));
  }
}
