// The board editor: a press on a square changes its disc. The engine says what may be played in the position.
import { button, field, fill, make, say, select } from "./dom.js";
import { SQUARES } from "./board.js";
import { t, title } from "./text.js";
import { Tree } from "./tree.js";

const NEXT = /** @type {Record<string, string>} */ ({ "-": "X", X: "O", O: "-" });

export class Editor {
  /**
   * @param {import("./app.js").App} app
   * @param {import("./desk.js").Desk} desk
   * @param {HTMLElement} panel
   * @param {() => void} close
   */
  constructor(app, desk, panel, close) {
    this.app = app;
    this.desk = desk;
    this.close = close;
    this.board = app.place.board;
    this.side = app.place.side || "black";
    /** @type {[string, string][]} */
    const sides = ["black", "white"].map((side) => [side, title(side)]);
    const side = select("editor-side", sides, this.side, (value) => {
      this.side = value;
      this.draw();
    });
    const clear = (/** @type {string} */ board) => () => {
      this.board = board;
      this.draw();
    };
    fill(panel, make("section", "card", make("h2", "", t("edit-board")), make("p", "quiet", t("edit-help")), field(t("side-to-move"), side),
      make("div", "row-buttons", button(t("done"), "main", () => this.done()), button(t("empty-board"), "", clear("-".repeat(64))),
        button(t("start"), "", clear(Tree.start().root.board)), button(t("cancel"), "", close))));
  }

  press(/** @type {string} */ square) {
    const at = SQUARES.indexOf(square);
    this.board = this.board.slice(0, at) + NEXT[this.board[at]] + this.board.slice(at + 1);
    this.draw();
  }

  draw() {
    const place = { ...Tree.start().root, board: this.board, side: this.side, legal: SQUARES };
    this.desk.draw({ place, legal: [], steps: false, status: t("edit-help") });
  }

  async done() {
    try {
      const { games, errors } = await this.app.engine.call("games", { text: `${this.board} ${this.side === "white" ? "O" : "X"}` });
      if (!games[0]) throw new Error(errors[0]?.message);
      const tree = new Tree(games[0]);
      tree.isChanged = true;
      this.close();
      this.app.study(tree);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
}
