// My statistics: by opening and phase, and discs lost over time, from the reports in the library.
import { field, fill, make, select, table } from "./dom.js";
import { settings } from "./settings.js";
import { openingName, t } from "./text.js";
import { avoided } from "./quiz.js";

/** Phases of a game, by empties at their end. */
const PHASES = /** @type {[string, number][]} */ ([["opening", 41], ["middle", 21], ["ending", 0]]);
const phaseOf = (/** @type {number} */ empties) => PHASES.find(([, end]) => empties >= end)?.[0] ?? "ending";
/** The least loss of a mistake, in discs. */
const MISTAKE = 2;

/** @typedef {{ games: number, won: number, moves: number, lost: number, mistakes: number, avoidable: number }} Sum */
/** @returns {Sum} */
const none = () => ({ games: 0, won: 0, moves: 0, lost: 0, mistakes: 0, avoidable: 0 });

export class Stats {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.player = "";
  }

  /** The part of the library's page that this file fills. */
  card() {
    this.body = make("div", "stats-body");
    const card = make("details", "card stats", make("summary", "", make("h2", "", t("statistics"))), this.body);
    card.addEventListener("toggle", () => this.draw());
    this.box = card;
    return card;
  }

  /** The players of reported games, the user first. */
  players() {
    /** @type {Map<string, number>} */
    const names = new Map();
    for (const game of this.app.store.all("games")) {
      for (const name of game.answers ? [game.black, game.white] : []) if (name) names.set(name, (names.get(name) ?? 0) + 1);
    }
    return [...names].sort(([, a], [, b]) => b - a).map(([name]) => name).slice(0, 50);
  }

  /** Adds the moves of a game to the sums. @param {any} game @param {string} side @param {(name: string, key: string) => Sum} sum */
  add(game, side, sum) {
    const opening = openingName(game.opening ?? "") || t("other-opening");
    const month = (game.date || new Date(game.added).toISOString()).slice(0, 7).replace(".", "-");
    const lead = (game.ended ? (game.ended.winner === "black" ? 1 : -1) : game.result ?? 0) * (side === "black" ? 1 : -1);
    const all = [sum("opening", opening), sum("time", month)];
    for (const each of all) {
      each.games += 1;
      each.won += lead > 0 ? 1 : 0;
    }
    for (const { position, played, moves, empties } of game.answers) {
      if (played?.loss === undefined || position.endsWith("X") !== (side === "black")) continue;
      for (const each of [...all, sum("phase", t(`phase-${phaseOf(empties)}`))]) {
        const isMistake = played.loss >= MISTAKE;
        each.moves += 1;
        each.lost += played.loss;
        each.mistakes += isMistake ? 1 : 0;
        each.avoidable += isMistake && avoided({ moves, played: played.move }) >= 0.5 ? 1 : 0;
      }
    }
  }

  draw() {
    if (!this.box?.open) return;
    const names = this.players();
    if (!names.includes(this.player)) this.player = names.includes(t("you")) ? t("you") : names[0] ?? "";
    if (names.length === 0) {
      fill(this.body, make("p", "quiet", t("stats-empty")));
      return;
    }
    /** @type {Record<string, Map<string, Sum>>} */
    const groups = { phase: new Map(), opening: new Map(), time: new Map() };
    const sum = (/** @type {string} */ name, /** @type {string} */ key) => {
      const found = groups[name].get(key) ?? none();
      groups[name].set(key, found);
      return found;
    };
    for (const game of this.app.store.all("games").filter(({ answers }) => answers)) {
      if (game.black === this.player) this.add(game, "black", sum);
      if (game.white === this.player) this.add(game, "white", sum);
    }
    const choice = select("stats-player", names.map((name) => [name, name]), this.player, (value) => {
      this.player = value;
      this.draw();
    });
    fill(this.body, field(t("player"), choice), ...Object.entries(groups).map(([name, rows]) => this.table(name, rows)), make("p", "quiet", t("stats-help", { rating: settings.rating })));
  }

  /** @param {string} name @param {Map<string, Sum>} rows */
  table(name, rows) {
    /** @type {[string, string][]} */
    const heads = [["", t(`by-${name}`)], ...["games", "won", "lost-move", "mistakes", "avoidable"].map((each) => /** @type {[string, string]} */ (["number", t(`stats-${each}`)]))];
    const cell = (/** @type {string | number} */ text) => make("td", "number", String(text));
    const order = PHASES.map(([phase]) => t(`phase-${phase}`));
    const sorted = [...rows].sort(([a, one], [b, other]) => {
      if (name === "opening") return other.games - one.games;
      return name === "phase" ? order.indexOf(a) - order.indexOf(b) : a < b ? -1 : 1;
    });
    const made = sorted.slice(0, 24).map(([key, { games, won, moves, lost, mistakes, avoidable }]) => {
      const head = make("th", "", key);
      head.scope = "row";
      return make("tr", "", head, cell(games || "\u2013"), cell(games ? won : "\u2013"), cell(moves ? (lost / moves).toFixed(2) : "\u2013"), cell(mistakes), cell(avoidable));
    });
    return make("div", "scroll", table("stats-table", heads, made));
  }
}
