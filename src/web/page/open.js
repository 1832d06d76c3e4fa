// Games and positions that the user pastes, drops, types or picks as files.
import { ask, get, make, say } from "./dom.js";
import { t } from "./text.js";
import { Tree } from "./tree.js";

/** The most bytes of a file: a WTHOR year has some hundred thousand. */
const LARGEST = 32 * 1048576;

/** The text of a file, or the hexadecimal digits of a WTHOR file's bytes. @param {Blob} file @param {string} name */
async function content(file, name) {
  let bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  }
  if (/\.wt[bh]/i.test(name)) return { hex: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
  return { text: new TextDecoder().decode(bytes) };
}

export class Opener {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    get("open").addEventListener("click", () => this.dialog());
    document.addEventListener("paste", (event) => {
      const isField = /** @type {any} */ (event.target)?.closest?.("input, textarea, select");
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const [file] = event.clipboardData?.files ?? [];
      if (isField || (!text && !file)) return;
      event.preventDefault();
      if (file) this.file(file);
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
      const [file] = event.dataTransfer?.files ?? [];
      if (file) this.file(file);
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
    file.setAttribute("aria-label", t("open-file"));
    file.addEventListener("change", () => {
      file.closest("dialog").close("");
      this.file(file.files[0]);
    });
    const box = make("div", "open-box", make("h2", "", t("open")), make("p", "quiet", t("open-help")), area, file);
    if (await ask(box, [["read", t("open-read")], ["", t("cancel")]]) === "read") await this.read({ text: area.value });
  }

  async file(/** @type {File} */ file) {
    if (file.size > LARGEST) return say(t("file-large", { name: file.name }));
    try {
      return await this.read(await content(file, file.name), file.name);
    } catch (error) {
      return say(`${file.name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /**
   * Reads what the program reads: one game is shown, several go to the library.
   * @param {{ text?: string, hex?: string }} what
   */
  async read(what, name = "") {
    const place = name ? `${name}: ` : "";
    let answer;
    try {
      answer = await this.app.engine.call("games", what);
    } catch (error) {
      return say(place + (error instanceof Error ? error.message : error));
    }
    const { games, errors } = answer;
    if (games.length === 0) return say(place + (errors[0] ?? t("nothing-found")));
    const notes = [...errors, ...games.flatMap((/** @type {any} */ game) => game.warnings ?? [])];
    if (games.length > 1) {
      await /** @type {any} */ (this.app.views.library).keepAll(games);
      say([t("games-added", { count: games.length }), ...notes.slice(0, 1)].join(" "));
      location.hash = "#library";
      this.app.draw();
      return undefined;
    }
    const tree = new Tree(games[0]);
    /** @type {any} */ (this.app.views.play).setActive(false);
    this.app.load(tree);
    location.hash = "#study";
    return notes.length > 0 ? say(notes[0]) : undefined;
  }
}
