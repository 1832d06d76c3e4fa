// The game with its side lines: a tree of positions. The engine knows the rules; this file only keeps what it says.

/**
 * @typedef {object} Place a position of the tree
 * @property {Place | null} parent
 * @property {Place[]} children the first one goes on with the main line
 * @property {string} move that led here; "--" is a pass, "" the start
 * @property {string} board 64 letters X, O and -
 * @property {string} side "black", "white", or "" when the game is over
 * @property {string[]} legal
 * @property {string} opening the last name on the way here
 * @property {number} number of the next move
 * @property {any} answer the deepest one of the engine
 * @property {any[]} [book]
 * @property {string} comment
 */

const START = "---------------------------OX------XO---------------------------";

/** The name of a position, the same for transpositions. */
export const key = (/** @type {Place} */ place) => `${place.board} ${place.side === "white" ? "O" : "X"}`;
export const count = (/** @type {string} */ board, /** @type {string} */ disc) => board.split(disc).length - 1;
export const isPass = (/** @type {Place} */ place) => place.side !== "" && place.legal.length === 0;

/** A text as GGF keeps it. */
const plain = (/** @type {string} */ text) => text.replace(/[\]\p{Cc}]/gu, "_");
/** A text as SGF keeps it. */
const escaped = (/** @type {string} */ text) => text.replace(/[\\\]]/g, "\\$&");

/**
 * @typedef {object} Facts what a game says about itself
 * @property {string} black
 * @property {string} white
 * @property {string} date
 * @property {string} event
 * @property {{ black: string, white: string }} [seats] who plays, if it was played here: "you" or an opponent
 * @property {{ how: "resign" | "time" | "stated", winner: string }} [ended] how it ended before its last move
 */

export class Tree {
  /** @param {any} game of the engine's `games` */
  constructor(game) {
    /** @type {Facts} */
    this.facts = { black: game.black ?? "", white: game.white ?? "", date: game.date ?? "", event: game.event ?? "" };
    if (game.winner) this.facts.ended = { how: "stated", winner: game.winner };
    /** The game as it was read, until its main line changes. @type {string | undefined} */
    this.ggf = game.moves ? game.ggf : undefined;
    /** Of the library. @type {string | undefined} */
    this.id = undefined;
    /** The revision of the library that this game was made from. */
    this.rev = 0;
    /** Whether the library lacks a change. */
    this.isChanged = false;
    /** How often the library was asked to keep the game, and how many of these the browser has written. */
    this.asked = 0;
    this.written = 0;
    this.root = place(null, "", game.positions[0]);
    this.root.comment = game.positions[0].comment ?? "";
    /** @type {Place[]} */
    const places = [];
    let at = this.root;
    for (const [index, position] of game.positions.entries()) {
      if (index > 0) {
        const isSide = position.parent !== undefined;
        at = this.grow(isSide ? places[position.parent] : at, isSide ? position.move : game.positions[index - 1].played, position);
      }
      places.push(at);
    }
    /** The last place of a game that is over or was played here; further moves are side lines. @type {Place | undefined} */
    this.tip = undefined;
    if (this.facts.ended) this.fix();
  }

  /** The start of the game, before any engine is there. */
  static start() {
    const legal = ["d3", "c4", "f5", "e6"];
    return new Tree({ positions: [{ board: START, side: "black", legal }] });
  }

  /** A game with the moves of an opening. @param {string} name @param {import("./engine.js").Engine} engine */
  static async opening(name, engine) {
    const { openings } = await engine.call("openings");
    const moves = openings.find((/** @type {string[]} */ [, each]) => each === name)?.[0] ?? "";
    const { games } = await engine.call("games", { text: moves });
    return new Tree({ positions: games[0].positions });
  }

  /** Ends the main line where it ends now. */
  fix(at = this.end()) {
    this.tip = at;
    return this;
  }

  /**
   * @param {Place} parent
   * @param {string} move
   * @param {any} position
   */
  grow(parent, move, position) {
    const made = place(parent, /^[a-h][1-8]$/.test(move) ? move : "--", position);
    made.comment = position.comment ?? "";
    parent.children.push(made);
    return made;
  }

  /** The same moves up to a place as a game of its own. @param {Place} to @returns {Tree} */
  copy(to = this.end(), withLines = false) {
    const made = new Tree({ positions: [this.root] });
    made.facts = { ...this.facts };
    const walk = (/** @type {Place} */ from, /** @type {Place} */ at) => {
      if (from === to) made.tip = at;
      for (const child of from.children) {
        if (!withLines && !path(to).includes(child)) continue;
        const grown = made.grow(at, child.move, child);
        grown.answer = child.answer;
        walk(child, grown);
      }
    };
    walk(this.root, made.root);
    made.root.answer = this.root.answer;
    return made;
  }

  /** A copy of a game that runs, to be studied: what is tried in it is no part of the game. */
  runningCopy() {
    const made = this.copy(this.end());
    made.facts = { ...made.facts, seats: undefined };
    return made.fix();
  }

  /** The places of the main line. */
  main() {
    const line = [this.root];
    for (let at = this.root; at !== this.tip && at.children[0]; line.push(at)) at = at.children[0];
    return line;
  }

  end() {
    return this.main().at(-1) ?? this.root;
  }

  isMain(/** @type {Place} */ at) {
    return this.main().includes(at);
  }

  /** The moves of the main line, as people copy them. */
  moves(/** @type {Place} */ to = this.end()) {
    return path(to).map(({ move }) => (move === "--" ? "" : move)).join("");
  }

  /** The line of moves for searches by board; passes are in it. */
  line() {
    return this.root.board === START && this.root.side === "black" ? this.main().map(({ move }) => move).join("") : "";
  }

  isUsualStart() {
    return this.root.board === START && this.root.side === "black";
  }

  /** Whether the library keeps it: a game with a move, or a start of its own. */
  isWorthKeeping() {
    return this.root.children.length > 0 || !this.isUsualStart();
  }

  /** The game up to a place as GGF. */
  write(/** @type {Place} */ to = this.end()) {
    if (this.ggf && to === this.end()) return this.ggf;
    const { black, white, date, ended } = this.facts;
    const board = this.root.board.replaceAll("X", "*");
    const side = this.root.side === "white" ? "O" : "*";
    const rows = board.match(/.{8}/g)?.join(" ");
    const isWhole = to === this.end();
    const mark = ended?.how === "time" ? ":t" : ended?.how === "resign" ? ":r" : "";
    const result = isWhole && ended && mark ? `${ended.winner === "black" ? "+" : "-"}64.000${mark}` : "";
    const texts = [["PB", black], ["PW", white], ["DT", date], ["EV", this.facts.event], ["RE", result]];
    const facts = texts.filter(([, text]) => text).map(([name, text]) => `${name}[${plain(text)}]`);
    const moves = path(to).slice(1).map(({ parent, move }) => {
      const color = parent?.side === "white" ? "W" : "B";
      return `${color}[${move === "--" ? "PA" : move.toUpperCase()}]`;
    });
    return `(;GM[Othello]PC[Emilia]${facts.join("")}TY[8]BO[8 ${rows} ${side}]${moves.join("")};)`;
  }

  /** The game with its side lines and comments as SGF. */
  sgf() {
    const { black, white, date, event, ended } = this.facts;
    const lead = forBlack(this.end());
    const letter = (/** @type {string} */ side) => (side === "black" ? "B" : "W");
    const counted = lead === undefined || this.end().side !== "" ? "" : lead === 0 ? "0" : `${lead > 0 ? "B" : "W"}+${Math.abs(lead)}`;
    const result = ended ? `${letter(ended.winner)}+${ended.how === "time" ? "T" : ended.how === "resign" ? "R" : ""}` : counted;
    const texts = [["PB", black], ["PW", white], ["DT", date.replaceAll(".", "-")], ["EV", event], ["RE", result], ["C", this.root.comment]];
    const facts = texts.filter(([, text]) => text).map(([name, text]) => `${name}[${escaped(text)}]`).join("");
    const squares = (/** @type {string} */ disc) => [...this.root.board]
      .map((each, at) => (each === disc ? `[${"abcdefgh"[at % 8]}${1 + (at >> 3)}]` : "")).join("");
    const stones = ["X", "O"].map((disc) => squares(disc) && `A${disc === "X" ? "B" : "W"}${squares(disc)}`).join("");
    const setup = this.isUsualStart() ? "" : `${stones}PL[${letter(this.root.side)}]`;
    const node = (/** @type {Place} */ at) =>
      `;${letter(at.parent?.side ?? "black")}[${at.move === "--" ? "" : at.move}]${at.comment ? `C[${escaped(at.comment)}]` : ""}`;
    const lines = (/** @type {Place} */ from) => {
      let text = "";
      let at = from;
      while (at.children.length === 1) {
        [at] = at.children;
        text += node(at);
      }
      for (const child of at.children) text += `(${node(child)}${lines(child)})`;
      return text;
    };
    return `(;FF[4]GM[2]SZ[8]AP[Emilia]${facts}${setup}${lines(this.root)})`;
  }

  /** Whether there is more than the main line. */
  hasLines() {
    const main = this.main();
    return main.some((at, ply) => at.comment !== "" || at.children.length > (ply < main.length - 1 ? 1 : 0));
  }

  /** The place after a move: known, or asked of the engine. A pass that follows is played. */
  async play(/** @type {Place} */ from, /** @type {string} */ move, /** @type {import("./engine.js").Engine} */ engine) {
    const known = from.children.find((each) => each.move === move);
    if (known) return isPass(known) ? this.play(known, "--", engine) : known;
    if (!from.legal.includes(move) && !(move === "--" && isPass(from))) return from;
    const text = new Tree({ positions: [from] });
    const next = text.grow(text.root, move, from);
    const { games } = await engine.call("games", { text: text.write(next) });
    const already = from.children.find((each) => each.move === move);
    const made = already ?? this.grow(from, move, games[0].positions[1]);
    if (this.isMain(made)) this.ggf = undefined;
    this.isChanged = true;
    return isPass(made) ? this.play(made, "--", engine) : made;
  }

  /** Makes the line of a place the main line. */
  promote(/** @type {Place} */ at) {
    for (const each of path(at)) {
      if (each.parent) each.parent.children = [each, ...each.parent.children.filter((other) => other !== each)];
    }
    this.ggf = undefined;
    this.isChanged = true;
  }

  /** Makes a place the last one of the main line; moves behind it become side lines. */
  endAt(/** @type {Place} */ to) {
    this.promote(to);
    this.tip = to;
  }

  /** Takes a side line out. */
  cut(/** @type {Place} */ at) {
    if (at.parent) at.parent.children = at.parent.children.filter((each) => each !== at);
    this.isChanged = true;
  }
}

/**
 * @param {Place | null} parent
 * @param {string} move
 * @param {any} position
 * @returns {Place}
 */
function place(parent, move, { board, side, legal, opening }) {
  const passed = move === "--" || move === "";
  return {
    parent, move, board, legal, side: side ?? "", children: [], answer: undefined, comment: "",
    opening: opening ?? parent?.opening ?? "",
    number: (parent?.number ?? 1) + (passed ? 0 : 1),
  };
}

/** The place that these moves lead to, as far as they are in the tree. @param {Place} from @param {string[]} moves */
export function follow(from, moves) {
  let at = from;
  for (const move of moves) {
    const next = at.children.find((each) => each.move === move);
    if (!next) break;
    at = next;
  }
  return at;
}

/** The places from the start to a place. */
export function path(/** @type {Place} */ to) {
  const places = [];
  for (let at = /** @type {Place | null} */ (to); at; at = at.parent) places.unshift(at);
  return places;
}

/** Keeps an answer unless a deeper one is there; whether it did. */
export function learn(/** @type {Place} */ at, /** @type {any} */ answer) {
  if (!answer.moves?.length && at.answer) return false;
  const old = at.answer;
  const rank = (/** @type {any} */ each) => (each.exact ? 1e6 : 0) + 1000 * each.depth + each.selectivity;
  const all = (/** @type {any} */ each) => each.moves.length >= Math.min(2, at.legal.length);
  if (!old || (rank(answer) >= rank(old) && (all(answer) || !all(old)))) {
    // Sentences in another language are dropped.
    const kept = old?.language === answer.language ? old?.played : old?.played && { ...old.played, why: [] };
    at.answer = { ...answer, played: answer.played ?? kept };
    return true;
  }
  return false;
}

/** The value of a place in discs for Black, if it is known. */
export function forBlack(/** @type {Place} */ at) {
  if (at.side === "") {
    const [black, white] = [count(at.board, "X"), count(at.board, "O")];
    return black - white + Math.sign(black - white) * (64 - black - white);
  }
  const { score } = at.answer ?? {};
  if (score !== undefined) return at.side === "black" ? score : -score;
  return undefined;
}

/** The score of a move less that of the best; below 0.05 it is 0. `undefined` if one is not known. */
export function lossOf(/** @type {Place} */ at, /** @type {string} */ move) {
  const { answer } = at;
  if (!answer?.moves?.length) return undefined;
  const best = answer.moves[0].score;
  const own = answer.moves.find((/** @type {any} */ each) => each.move === move) ??
    (answer.played?.move === move ? answer.played : undefined);
  if (best === undefined || own?.score === undefined) return undefined;
  const loss = own.loss ?? best - own.score;
  return loss < 0.05 ? 0 : loss;
}

/** How bad a loss is, in the steps of the report. */
export const grade = (/** @type {number} */ loss) =>
  loss >= 10 ? "blunder" : loss >= 4 ? "mistake" : loss >= 2 ? "slip" : loss > 0 ? "good" : "best";
