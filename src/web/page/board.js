// The board: a drawing, and over it a button for each square, for pointer, keyboard and screen readers.
import { make } from "./dom.js";
import { labeled, t, title } from "./text.js";

const FILES = "abcdefgh";
export const SQUARES = [...Array(64).keys()].map((at) => FILES[at % 8] + (1 + (at >> 3)));
const BORDER = 34;
const SIZE = 800 + 2 * BORDER;

/**
 * @typedef {object} Scene what the board shows
 * @property {string} board
 * @property {string} side
 * @property {string[]} legal
 * @property {string} [last] the last move
 * @property {string} [next] the move that the game goes on with
 * @property {Map<string, { value: string, grade: string, exact: boolean }>} [values]
 * @property {Map<string, string>} [marks] a class for squares
 * @property {boolean} [still] no square can be pressed
 */

/** The empty board, its letters and numbers, and the parts of every square. */
function drawing() {
  const far = BORDER + 800;
  const lines = [...Array(9).keys()].map((at) => {
    const x = BORDER + 100 * at;
    return `M${x} ${BORDER}V${far}M${BORDER} ${x}H${far}`;
  });
  const points = [[2, 2], [6, 2], [2, 6], [6, 6]].map(([x, y]) =>
    `<circle class="point" cx="${BORDER + 100 * x}" cy="${BORDER + 100 * y}" r="9"/>`);
  const names = [...FILES].map((letter, at) => {
    const middle = BORDER + 100 * at + 50;
    return `<text class="edge" x="${middle}" y="${BORDER / 2 + 8}">${letter}</text>` +
      `<text class="edge" x="${BORDER / 2}" y="${middle + 8}">${at + 1}</text>`;
  });
  const cells = SQUARES.map((name, at) =>
    `<g class="cell" data-square="${name}" transform="translate(${BORDER + 100 * (at % 8)} ${BORDER + 100 * (at >> 3)})">` +
    `<rect class="glow" width="100" height="100"/><ellipse class="shade" cx="52" cy="55" rx="42" ry="41"/>` +
    `<circle class="disc" cx="50" cy="50" r="42"/><circle class="rim" cx="50" cy="50" r="41"/>` +
    `<rect class="plate" x="4" y="24" width="92" height="52" rx="15"/><circle class="dot" cx="50" cy="50" r="10"/>` +
    `<text class="value" x="50" y="61"></text></g>`);
  return `<svg class="board" viewBox="0 0 ${SIZE} ${SIZE}" aria-hidden="true">` +
    `<defs><radialGradient id="ink" cx="36%" cy="30%" r="78%"><stop offset="0" stop-color="#565e5a"/>` +
    `<stop offset=".55" stop-color="#222725"/><stop offset="1" stop-color="#0c0f0e"/></radialGradient>` +
    `<radialGradient id="chalk" cx="36%" cy="30%" r="82%"><stop offset="0" stop-color="#ffffff"/>` +
    `<stop offset=".6" stop-color="#eef1ec"/><stop offset="1" stop-color="#c4cbc4"/></radialGradient></defs>` +
    `<rect class="frame" width="${SIZE}" height="${SIZE}" rx="22"/>` +
    `<rect class="green" x="${BORDER}" y="${BORDER}" width="800" height="800"/>` +
    `<path class="grid" d="${lines.join("")}"/>${points.join("")}${names.join("")}${cells.join("")}<g class="arrows"></g></svg>`;
}

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {(square: string) => void} press
   */
  constructor(host, press) {
    host.innerHTML = drawing();
    this.cells = new Map([...host.querySelectorAll(".cell")].map((each) => [/** @type {any} */ (each).dataset.square, each]));
    this.grid = make("div", "squares");
    this.grid.setAttribute("role", "group");
    this.at = 0;
    /** @type {Scene | undefined} */
    this.scene = undefined;
    this.buttons = SQUARES.map((name, index) => {
      const made = make("button");
      made.type = "button";
      made.dataset.square = name;
      made.tabIndex = index === 0 ? 0 : -1;
      made.addEventListener("click", () => this.isDrawing || press(name));
      made.addEventListener("focus", () => this.focusOn(index));
      this.grid.append(made);
      return made;
    });
    /** Arrows and rings that the user draws, on the position that they belong to. */
    this.drawn = { board: "", signs: /** @type {Set<string>} */ (new Set()) };
    this.isDrawing = false;
    this.watchDrawing();
    this.grid.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.walk(event));
    host.append(this.grid);
  }

  /** Lets presses draw, or play again. */
  toggleDrawing() {
    this.isDrawing = !this.isDrawing;
    this.grid.classList.toggle("drawing", this.isDrawing);
  }

  /** A drag with the right button, or any drag while the user draws, makes an arrow; a press makes a ring; the same again removes it. */
  watchDrawing() {
    let from = "";
    const square = (/** @type {PointerEvent} */ event) => {
      const at = /** @type {any} */ (document.elementFromPoint(event.clientX, event.clientY));
      return at?.parentElement === this.grid ? at.dataset.square : "";
    };
    const isSign = (/** @type {PointerEvent} */ event) => event.button === 2 || this.isDrawing;
    this.grid.addEventListener("contextmenu", (/** @type {Event} */ event) => event.preventDefault());
    this.grid.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => { from = isSign(event) ? square(event) : ""; });
    this.grid.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
      const to = square(event);
      if (from && to && isSign(event)) this.sign(from + to);
      from = "";
    });
  }

  sign(/** @type {string} */ sign) {
    const { signs } = this.drawn;
    if (!signs.delete(sign)) signs.add(sign);
    this.drawSigns();
  }

  drawSigns() {
    const middle = (/** @type {string} */ name) => [BORDER + 100 * FILES.indexOf(name[0]) + 50, BORDER + 100 * Number(name[1]) - 50];
    const parts = [...this.drawn.signs].map((sign) => {
      const [[x, y], [u, v]] = [middle(sign.slice(0, 2)), middle(sign.slice(2))];
      const length = Math.hypot(u - x, v - y);
      if (length === 0) return `<circle class="ring" cx="${x}" cy="${y}" r="44"/>`;
      const [a, b] = [(u - x) / length, (v - y) / length];
      const [tip, left, right] = [[u, v], [u - 34 * a + 20 * b, v - 34 * b - 20 * a], [u - 34 * a - 20 * b, v - 34 * b + 20 * a]];
      return `<path class="arrow" d="M${x + 30 * a} ${y + 30 * b}L${u - 30 * a} ${v - 30 * b}"/><path class="head" d="M${[tip, left, right].map((point) => point.map((each) => each.toFixed(1)).join(" ")).join("L")}Z"/>`;
    });
    /** @type {any} */ (this.cells.get("a1")?.closest("svg")?.querySelector(".arrows")).innerHTML = parts.join("");
  }

  focusOn(/** @type {number} */ index) {
    this.buttons[this.at].tabIndex = -1;
    this.at = index;
    this.buttons[index].tabIndex = 0;
  }

  /** The arrow keys move between squares while one has the focus; with Shift they walk through the game. */
  walk(/** @type {KeyboardEvent} */ event) {
    const step = /** @type {any} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[event.key];
    if (!step || event.shiftKey || !this.buttons[this.at].matches(":focus-visible")) return;
    const [x, y] = [this.at % 8 + step[0], (this.at >> 3) + step[1]];
    if (x >= 0 && x < 8 && y >= 0 && y < 8) this.buttons[8 * y + x].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  draw(/** @type {Scene} */ scene) {
    const before = this.scene?.board;
    this.scene = scene;
    if (this.drawn.board !== scene.board) {
      this.drawn = { board: scene.board, signs: new Set() };
      this.drawSigns();
    }
    this.grid.setAttribute("aria-label", t("board"));
    SQUARES.forEach((name, index) => {
      const cell = this.cells.get(name);
      const disc = scene.board[index];
      const value = scene.values?.get(name);
      const open = scene.legal.includes(name);
      const isTurned = before !== undefined && before[index] !== disc && before[index] !== "-" && disc !== "-";
      const names = ["cell", disc === "X" ? "b" : disc === "O" ? "w" : "", open ? "open" : "", isTurned ? "turned" : "",
        name === scene.last ? "last" : "", open && name === scene.next ? "next" : "", value ? `valued ${value.grade}` : "",
        value?.exact ? "exact" : "", (value?.value.length ?? 0) > 4 ? "long" : "", scene.marks?.get(name) ?? ""];
      const className = names.filter(Boolean).join(" ");
      if (cell?.getAttribute("class") !== className) cell?.setAttribute("class", className);
      const text = cell?.querySelector("text");
      if (text && text.textContent !== (value?.value ?? "")) text.textContent = value?.value ?? "";
      this.label(index, disc, open, value?.value);
    });
    this.grid.classList.toggle("still", scene.still === true);
  }

  label(/** @type {number} */ index, /** @type {string} */ disc, /** @type {boolean} */ open, value = "") {
    const state = disc === "X" ? title("black") : disc === "O" ? title("white") : t(open ? "legal" : "empty");
    const label = labeled(SQUARES[index], state + (value ? `, ${value}` : ""));
    const made = this.buttons[index];
    if (made.getAttribute("aria-label") !== label) made.setAttribute("aria-label", label);
    made.classList.toggle("open", open);
  }

  /** The drawing as a file of its own. */
  picture() {
    const clone = /** @type {any} */ (this.cells.get("a1")?.closest("svg")?.cloneNode(true));
    const drawn = [...(this.cells.get("a1")?.closest("svg")?.querySelectorAll("*") ?? [])];
    [...clone.querySelectorAll("*")].forEach((copy, index) => {
      const style = getComputedStyle(drawn[index]);
      if (style.display === "none") return copy.classList.add("gone");
      if (!["circle", "ellipse", "rect", "path", "text"].includes(copy.tagName)) return undefined;
      for (const name of ["fill", "stroke", "stroke-width", "opacity", "font", "text-anchor"]) {
        copy.style.setProperty(name, style.getPropertyValue(name));
      }
      return undefined;
    });
    for (const gone of clone.querySelectorAll(".gone")) gone.remove();
    clone.setAttribute("width", SIZE);
    clone.setAttribute("height", SIZE);
    return new XMLSerializer().serializeToString(clone);
  }
}
