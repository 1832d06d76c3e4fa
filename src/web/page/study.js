// Study: live values on all legal moves, the lines behind them, side lines, the book, the graph.
import { ask, button, fill, get, make, say, select } from "./dom.js";
import { ending } from "./desk.js";
import { drawGraph } from "./graph.js";
import { drawSheet, sheetHost } from "./moves.js";
import { settings, set } from "./settings.js";
import { Editor } from "./editor.js";
import { shareCard } from "./share.js";
import { discs, labeled, many, openingName, percent, spoken, t, title, worth } from "./text.js";
import { Tree, forBlack, grade, isPass, key, learn, lossOf, path } from "./tree.js";

/** @typedef {import("./tree.js").Place} Place */
export const LEVELS = [4, 8, 12, 16, 20, 24, 30, 60];
/** Lines that are shown; a place for each keeps the page still. */
const LINES = 5;
/** Of the quick look at a whole game. */
const SCAN_LEVEL = 8;

/** The name of a level. */
export const levelName = (/** @type {number} */ level) => (level === 60 ? t("level-endless") : t("level", { level }));

/** The sign that turns the mover's value into the one that the user wants to read. */
export const sign = (/** @type {Place} */ place) => (settings.perspective === "black" && place.side === "white" ? -1 : 1);

/** The values on squares. */
export function squareValues(/** @type {Place} */ place) {
  const values = new Map();
  for (const line of place.answer?.moves ?? []) {
    const loss = lossOf(place, line.move);
    values.set(line.move, { value: worth(line, sign(place)), exact: line.exact, grade: loss === undefined ? "" : grade(loss) });
  }
  return values;
}

/** Black's chance of an answer; -1 if it is not known. */
export function blackChance(/** @type {Place} */ place) {
  if (place.side === "") {
    const end = forBlack(place) ?? 0;
    return end > 0 ? 1 : end < 0 ? 0 : 0.5;
  }
  const { win_chance: win, draw_chance: draw } = place.answer ?? {};
  if (win === undefined) return -1;
  const chance = win + (draw ?? 0) / 2;
  return place.side === "black" ? chance : 1 - chance;
}

export class Study {
  /** @param {import("./app.js").App} app @param {import("./desk.js").Desk} desk */
  constructor(app, desk) {
    this.app = app;
    this.desk = desk;
    /** @type {import("./engine.js").Search | undefined} */
    this.search = undefined;
    /** @type {Place | undefined} */
    this.searched = undefined;
    /** The quick look at the whole game that is under way. @type {import("./engine.js").Search | undefined} */
    this.scanning = undefined;
    /** While the user sets up a board. @type {Editor | undefined} */
    this.editor = undefined;
    this.frame = 0;
    /** When the moves and the graph were drawn. */
    this.drawn = 0;
    this.speed = 0;
    this.panel = get("panel-study");
  }

  enter() {
    this.build();
    this.searched = undefined;
  }

  leave() {
    this.stop();
    this.editor = undefined;
  }

  stop() {
    this.scanning?.cancel();
    this.scanning = undefined;
    this.search?.cancel();
    this.search = undefined;
    this.searched = undefined;
  }

  /** The parts of the panel, once for each language. */
  build() {
    const toggle = make("input");
    toggle.type = "checkbox";
    toggle.id = "engine-on";
    toggle.checked = settings.engine;
    toggle.setAttribute("role", "switch");
    toggle.addEventListener("change", () => this.toggleEngine(toggle.checked));
    const level = select("level", LEVELS.map((each) => [String(each), levelName(each)]), String(settings.level), (value) => {
      set("level", Number(value));
      this.searched = undefined;
      this.draw();
    });
    level.setAttribute("aria-label", t("analysis-level"));
    const head = make("div", "engine-head", make("label", "switch", toggle, make("span", "unseen", t("engine"))), make("b", "worth", ""),
      make("span", "chance", ""), level);
    const values = make("label", "check", make("input"), ` ${t("values-on-squares")}`);
    values.firstChild.type = "checkbox";
    values.firstChild.id = "values-on";
    values.firstChild.checked = settings.values;
    values.firstChild.addEventListener("change", () => {
      set("values", values.firstChild.checked);
      this.draw();
    });
    const lines = make("section", "card lines-card", make("h2", "unseen", t("values")), head, make("ol", "lines"), make("p", "why"), values);
    const moves = make("section", "card moves-card", make("h2", "opening", ""), sheetHost(), make("div", "line-tools"));
    const graph = make("section", "card graph-card", make("h2", "", t("score"), " ", make("small", "", t("score-note"))), make("div", "chart scores"));
    const book = make("section", "card book-card", make("h2", "", t("book")), make("div", "book-moves"), make("div", "row-buttons"));
    this.panel.replaceChildren(lines, moves, graph, book, this.tools());
  }

  /** What can be done with the game: a report, a game from here, copies, files, pictures. */
  tools() {
    const { app } = this;
    const card = make("section", "card tools-card", make("h2", "unseen", t("share")));
    card.append(
      button(t("make-report"), "main", () => app.visit("report")),
      button(t("play-from-here"), "from-here", () => app.place.side && app.player.from(app.place)),
      button(t("edit-board"), "", () => this.edit()),
      button(t("new-study"), "", () => app.study(Tree.start(), undefined, t("new-board"))),
      ...shareCard(app, this.desk),
    );
    return card;
  }

  /** Lets the user set up a position. */
  edit() {
    this.stop();
    this.editor = new Editor(this.app, this.desk, this.panel, () => {
      this.editor = undefined;
      this.build();
      this.draw();
    });
    this.editor.draw();
  }

  toggleEngine(/** @type {boolean} */ on) {
    set("engine", on);
    get("engine-on").checked = on;
    if (!on) this.stop();
    this.draw();
  }

  press(/** @type {string} */ square) {
    if (this.editor) this.editor.press(square);
    else this.app.play(square);
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (this.editor) return false;
    if (event.key === " ") this.toggleEngine(!settings.engine);
    else if (event.key === "v") get("values-on").click();
    else if (event.key === "u") this.app.step(-1);
    else if (event.key === "Escape") this.app.leaveLine();
    else if (event.key === "Delete") this.cut();
    else return false;
    return true;
  }

  /** Begins to search the place that is shown, unless it is searched or known. */
  look() {
    const { place, tree } = this.app;
    if (this.searched === place) return;
    this.stop();
    this.searched = place;
    if (place.book === undefined) this.askBook(place);
    const isKnown = place.answer?.done >= settings.level && place.answer.language === spoken();
    if (!settings.engine || place.side === "" || isPass(place) || isKnown) {
      this.scan();
      return;
    }
    // With the move that the game goes on with: its sentences say how many players find the better one.
    const next = place.children[0];
    const about = next ? { game: tree.write(next), turns: [path(place).length - 1], losses: true } : { position: key(place) };
    const request = { ...about, best_moves: "all", partial_every: 0.12, level: settings.level, why: spoken(), rating: settings.rating };
    const search = this.app.engine.analyze(request, (answer) => {
      this.speed = answer.nodes / Math.max(0.001, answer.seconds ?? 0);
      const isDone = !answer.partial && !answer.cancelled;
      if (isDone) this.drawn = 0;
      learn(place, { ...answer, language: spoken() });
      if (isDone && place.answer) place.answer.done = Math.max(settings.level, place.answer.done ?? 0);
      this.later();
      // The whole game is looked at once the place on the board has its first values.
      if (place === this.app.place && this.searched === place) this.scan();
    });
    this.search = search;
    search.done.catch((error) => say(String(error.message)));
  }

  askBook(/** @type {Place} */ place) {
    place.book = [];
    if (place.side === "" || isPass(place)) return;
    this.app.engine.call("book", { text: key(place) }).then(({ moves }) => {
      place.book = moves;
      if (place !== this.app.place) return;
      this.drawn = 0;
      this.later();
    }, () => {});
  }

  /** A quick look at the positions of the game that have no value yet, for its graph; it ends when the board changes. */
  scan() {
    const { tree, engine } = this.app;
    if (this.scanning) return;
    const main = tree.main();
    const turns = [...main.keys()].filter((turn) => main[turn].side && !main[turn].answer);
    if (main.length < 6 || turns.length === 0) return;
    const request = { game: tree.write(), turns, losses: true, level: SCAN_LEVEL, rating: settings.rating, priority: 1 };
    const search = engine.analyze(request, (answer) => {
      const place = main[answer.turn];
      if (!place || place.side === "" || answer.cancelled) return;
      learn(place, answer);
      this.later();
    });
    this.scanning = search;
    search.done.then(() => {
      this.drawn = 0;
      this.later();
    }, () => {});
  }

  /** Draws once for many answers; what changes slowly is drawn less often. */
  later() {
    if (this.frame || this.app.view !== "study") return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      // No button is replaced while it is pressed.
      if (this.app.isPressed) return this.later();
      if (this.app.view === "study") this.draw(performance.now() - this.drawn > 700);
      return undefined;
    });
  }

  draw(whole = true) {
    if (this.editor) return this.editor.draw();
    const { place, tree } = this.app;
    this.look();
    this.desk.draw({
      names: [tree.facts.black, tree.facts.white],
      values: settings.values && place.side ? squareValues(place) : undefined,
      next: place === tree.tip ? undefined : place.children[0]?.move,
      chance: blackChance(place),
      status: this.status(place),
    });
    this.drawLines(place);
    if (!whole) return undefined;
    this.drawn = performance.now();
    this.drawMoves();
    this.drawBook(place);
    const main = tree.main();
    const inMain = [...path(place)].reverse().find((each) => main.includes(each)) ?? tree.root;
    drawGraph(this.panel.querySelector(".chart"), main, main.indexOf(inMain), (to) => this.app.go(to));
    this.panel.querySelector(".from-here").disabled = place.side === "";
    const turn = place.side ? t("to-move", { side: title(place.side) }) : ending(place);
    const move = place.move && place.parent ? `${labeled(title(place.parent.side), place.move === "--" ? t("pass") : place.move)}. ` : "";
    this.app.speak(move + turn);
    return undefined;
  }

  /** How deep the values are. */
  status(/** @type {Place} */ place) {
    if (place.side === "") return ending(place);
    const { answer } = place;
    if (!answer?.depth) return settings.engine ? t("searching") : t("engine-off");
    const parts = [answer.exact ? t("proven") : t("depth", { depth: answer.depth })];
    if (!answer.exact && answer.selectivity < 100) parts.push(t("sure", { percent: answer.selectivity }));
    if (answer.nodes) parts.push(t("nodes", { nodes: many(answer.nodes) }));
    if (answer.partial && this.speed > 0) parts.push(`${many(this.speed)}/s`);
    return parts.join(" \u00b7 ");
  }

  drawLines(/** @type {Place} */ place) {
    const { answer } = place;
    const value = place.side === "" ? undefined : answer;
    const turn = sign(place);
    this.panel.querySelector(".worth").textContent = place.side === "" ? discs(forBlack(place) ?? 0, true) : worth(value, turn) || "\u2013";
    const chance = blackChance(place);
    this.panel.querySelector(".chance").textContent = chance < 0 || place.side === "" ? "" : t("wins-chance", {
      side: title(place.side), chance: percent(place.side === "black" ? chance : 1 - chance),
    });
    const rows = (value?.moves ?? []).slice(0, LINES).map((/** @type {any} */ line) => this.lineRow(place, line, turn));
    while (rows.length < LINES) rows.push(make("li", "empty"));
    fill(this.panel.querySelector(".lines"), ...rows);
    this.panel.querySelector(".why").textContent = this.reason(place);
  }

  /** @param {Place} place @param {any} line @param {number} turn */
  lineRow(place, line, turn) {
    const loss = lossOf(place, line.move);
    const row = make("li", line.move === place.children[0]?.move ? "played" : "");
    const value = make("span", `value ${loss === undefined ? "" : grade(loss)} ${line.exact ? "exact" : ""}`, worth(line, turn));
    const moves = make("span", "pv");
    line.pv.slice(0, 12).forEach((/** @type {string} */ move, /** @type {number} */ at) => {
      moves.append(button(move === "pa" ? t("pass") : move, at === 0 ? "first" : "", () => this.follow(line.pv.slice(0, at + 1))));
    });
    row.append(value, moves);
    return row;
  }

  /** Plays the moves of a line. */
  async follow(/** @type {string[]} */ moves) {
    for (const move of moves) if (move !== "pa" && !(await this.app.play(move))) return;
  }

  /** Why the move of the game was bad, or why the best one is good. */
  reason(/** @type {Place} */ place) {
    const next = place.children[0]?.move;
    const { answer } = place;
    // The sentences of a report that was made in another language.
    if (answer?.language !== spoken()) return "";
    if (next && answer?.played?.move === next && answer.played.why?.length) return labeled(next, answer.played.why.join(" "));
    const best = answer?.moves?.[0];
    return best?.why?.length ? labeled(best.move, best.why.join(" ")) : "";
  }

  drawMoves() {
    const { tree, place } = this.app;
    drawSheet(this.panel.querySelector(".game-moves"), this.app);
    this.panel.querySelector(".opening").textContent = openingName(place.opening) || t("moves");
    const tools = [button(t("comment"), "", () => this.comment())];
    if (!tree.isMain(place)) {
      tools.push(button(t("back-to-game"), "", () => this.app.leaveLine()), button(t("delete-line"), "", () => this.cut()));
      // The moves of a game that was played stay what they are.
      if (!tree.tip) tools.push(button(t("main-line"), "", () => this.promote()));
    }
    fill(this.panel.querySelector(".line-tools"), ...tools);
  }

  promote() {
    const { place, tree } = this.app;
    tree.promote(place);
    this.app.keep(tree);
    this.app.go(place);
  }

  /** Lets the user write a comment on the move that led here. */
  async comment() {
    const { place, tree } = this.app;
    const area = make("textarea");
    area.rows = 4;
    area.value = place.comment;
    area.setAttribute("aria-label", t("comment"));
    const content = make("div", "", make("h2", "", t("comment")), area);
    if (await ask(content, [["save", t("save")], ["", t("cancel")]]) !== "save") return;
    place.comment = area.value.trim();
    this.app.keep(tree);
    this.app.go(place);
  }

  /** Deletes the side line that is shown. */
  cut() {
    const { place, tree } = this.app;
    if (tree.isMain(place) || !place.parent) return;
    const first = path(place).find((each) => each.parent && !tree.isMain(each)) ?? place;
    const back = first.parent ?? tree.root;
    const before = [...back.children];
    tree.cut(first);
    this.app.keep(tree);
    this.app.go(back);
    this.app.canUndo(t("line-deleted"), () => {
      back.children = before;
      this.app.keep(tree);
      this.app.draw();
    });
  }

  /** Asks positions of an opening. @param {string} opening */
  drill(opening) {
    this.app.visit("quiz");
    /** @type {import("./quiz.js").Quiz} */ (this.app.views.quiz).drill(opening);
  }

  drawBook(/** @type {Place} */ place) {
    const card = this.panel.querySelector(".book-card");
    const moves = (place.book ?? []).slice(0, 8);
    const rows = moves.map((/** @type {any} */ each) => {
      const [won, drawn, lost] = each.results;
      const share = (/** @type {number} */ part) => Math.round((100 * part) / Math.max(1, each.games));
      const games = each.games > 0 ? t("book-results", { won: `${won} (${share(won)} %)`, drawn: `${drawn} (${share(drawn)} %)`, lost: `${lost} (${share(lost)} %)` }) : "";
      const made = button(each.move, "book-move", () => this.app.play(each.move));
      made.append(make("small", "", games));
      return made;
    });
    const { opening } = place;
    const tools = opening ? [button(t("play-opening"), "", () => this.app.player.withOpening(opening)), button(t("drill-opening"), "", () => this.drill(opening))] : [];
    fill(card.querySelector(".row-buttons"), ...tools);
    fill(card.querySelector(".book-moves"), ...(rows.length > 0 ? rows : [make("span", "quiet", t("not-in-book"))]));
  }
}
