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
 */

const START = "---------------------------OX------XO---------------------------";

/** The name of a position, the same for transpositions. */
export const key = (/** @type {Place} */ place) => `${place.board} ${place.side === "white" ? "O" : "X"}`;
export const count = (/** @type {string} */ board, /** @type {string} */ disc) => board.split(disc).length - 1;
export const isPass = (/** @type {Place} */ place) => place.side !== "" && place.legal.length === 0;

/** A text as GGF keeps it. */
const plain = (/** @type {string} */ text) => text.replace(/[\]\p{Cc}]/gu, "_");

export class Tree {
  /** @param {any} game of the engine's `games` */
  constructor(game) {
    /** What the game's file says: players, date, event. @type {any} */
    this.facts = { black: game.black ?? "", white: game.white ?? "", date: game.date ?? "", event: game.event ?? "" };
    /** The game as it was read, until its main line changes. @type {string | undefined} */
    this.ggf = game.moves ? game.ggf : undefined;
    /** Of the library. @type {string | undefined} */
    this.id = undefined;
    this.root = place(null, "", game.positions[0]);
    let at = this.root;
    for (const [index, position] of game.positions.entries()) {
      if (index > 0) at = this.grow(at, game.positions[index - 1].played, position);
    }
  }

  /** The start of the game, before any engine is there. */
  static start() {
    const legal = ["d3", "c4", "f5", "e6"];
    return new Tree({ positions: [{ board: START, side: "black", legal }] });
  }

  /**
   * @param {Place} parent
   * @param {string} move
   * @param {any} position
   */
  grow(parent, move, position) {
    const made = place(parent, /^[a-h][1-8]$/.test(move) ? move : "--", position);
    parent.children.push(made);
    return made;
  }

  /** The places of the main line. */
  main() {
    const line = [this.root];
    for (let at = this.root.children[0]; at; at = at.children[0]) line.push(at);
    return line;
  }

  end() {
    return this.main().at(-1) ?? this.root;
  }

  isMain(/** @type {Place} */ at) {
    return path(at).every((each) => !each.parent || each.parent.children[0] === each);
  }

  /** The game up to a place as GGF. */
  write(/** @type {Place} */ to = this.end()) {
    if (this.ggf && to === this.end()) return this.ggf;
    const { black, white, date } = this.facts;
    const board = this.root.board.replaceAll("X", "*");
    const side = this.root.side === "white" ? "O" : "*";
    const rows = board.match(/.{8}/g)?.join(" ");
    const texts = [["PB", black], ["PW", white], ["DT", date], ["EV", this.facts.event]];
    const facts = texts.filter(([, text]) => text).map(([name, text]) => `${name}[${plain(text)}]`);
    const moves = path(to).slice(1).map(({ parent, move }) => {
      const color = parent?.side === "white" ? "W" : "B";
      return `${color}[${move === "--" ? "PA" : move.toUpperCase()}]`;
    });
    return `(;GM[Othello]PC[Emilia]${facts.join("")}TY[8]BO[8 ${rows} ${side}]${moves.join("")};)`;
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
    return isPass(made) ? this.play(made, "--", engine) : made;
  }

  /** Takes a place and what follows out. */
  cut(/** @type {Place} */ at) {
    if (this.isMain(at)) this.ggf = undefined;
    if (at.parent) at.parent.children = at.parent.children.filter((each) => each !== at);
  }

  /** Makes the line of a place the main line. */
  promote(/** @type {Place} */ at) {
    for (const each of path(at)) {
      if (each.parent) each.parent.children = [each, ...each.parent.children.filter((other) => other !== each)];
    }
    this.ggf = undefined;
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
    parent, move, board, legal, side: side ?? "", children: [], answer: undefined,
    opening: opening ?? parent?.opening ?? "",
    number: (parent?.number ?? 1) + (passed ? 0 : 1),
  };
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
