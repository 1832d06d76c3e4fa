// Play: a person or the engine on each side. A press on the start board begins; quiet marks tell mistakes; lessons ask before they show.
import { ask, button, fill, field, get, make, say, select } from "./dom.js";
import { ending } from "./desk.js";
import { drawSheet, sheetHost } from "./moves.js";
import { LARGE, NAMES, labelOf, nameOf, newSeed, ratingOf, strengthOf } from "./opponents.js";
import { set, settings } from "./settings.js";
import { clock, discs, labeled, openingName, openings, spoken, t, title } from "./text.js";
import { squareValues } from "./study.js";
import { Tree, forBlack, key, path } from "./tree.js";

/** @typedef {import("./tree.js").Place} Place */

const STRENGTHS = [1, 4, 8, 12, 16, 20, 24];
/** Strength of hints, and of the check of a move. */
const HINT_LEVEL = 12;
/** The least loss that gets a mark, in discs. */
const MARKED = 2;
/** The most that a trap may cost, in discs. */
const TRAP = 3;
/** The shortest time that the engine seems to think, in milliseconds. */
const LEAST_TIME = 350;
/** Moves of a random start, and the most that a side may be ahead in it, in discs. */
const RANDOM_MOVES = 8;
const EVEN = 3;

const other = (/** @type {string} */ side) => (side === "black" ? "white" : "black");
const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 10);

/** The sentences that do not name the better move. @param {string[]} why @param {string} best */
export const without = (why, best) => why.filter((sentence) => !new RegExp(`(^|[^a-z])${best}($|[^0-9])`, "i").test(sentence));

export class Play {
  /** @param {import("./app.js").App} app @param {import("./desk.js").Desk} desk */
  constructor(app, desk) {
    this.app = app;
    this.desk = desk;
    this.panel = get("panel-play");
    this.paused = false;
    this.busy = false;
    /** @type {import("./engine.js").Search | undefined} */
    this.thinking = undefined;
    /** The hint for the place on the board. @type {any} */
    this.hint = undefined;
    /** The last mistake of a person here. @type {{ place: Place, played: any, best: any, open: boolean, shown: boolean } | undefined} */
    this.mistake = undefined;
    /** Milliseconds that the sides have left, with clocks. @type {Record<string, number> | undefined} */
    this.left = undefined;
    /** Of the opponent's moves in this game. */
    this.seed = newSeed();
    /** When the clock that runs was started; 0 while none does. */
    this.since = 0;
    setInterval(() => this.tick(), 200);
  }

  get tree() {
    return this.app.boards.play.tree;
  }

  /** Whether a game is on the board that goes on. */
  get active() {
    const { facts } = this.tree;
    return facts.seats !== undefined && !facts.ended && this.tree.end().side !== "";
  }

  enter() {
    this.busy = false;
    this.build();
    this.advance();
  }

  leave() {
    this.halt();
    this.thinking?.cancel();
    this.thinking = undefined;
  }

  /** Stops the clock that runs. */
  halt() {
    const { side } = this.tree.end();
    if (this.left && this.since && side) this.left[side] -= performance.now() - this.since;
    this.since = 0;
  }

  /** What the clocks show. */
  clocks() {
    const { side } = this.tree.end();
    const gone = this.since ? performance.now() - this.since : 0;
    return this.left ? ["black", "white"].map((each) => clock((this.left?.[each] ?? 0) - (each === side ? gone : 0))) : [];
  }

  /** Shows the clocks; a side without time has lost. */
  tick() {
    if (!this.since || !this.left) return;
    const shown = this.clocks();
    document.querySelectorAll(".seat .clock").forEach((each, at) => { each.textContent = shown[at]; });
    const { side } = this.tree.end();
    if (this.left[side] > performance.now() - this.since) return;
    this.leave();
    this.endBy("time", side);
  }

  /** What a reload needs besides the game. */
  state() {
    return { left: this.left, paused: this.paused, seed: this.seed };
  }

  /** Goes on with the game of the last visit; in a new tab the engine waits for the user, as another tab may have the game. */
  resume(/** @type {any} */ state, isNewTab = false) {
    this.left = state?.left;
    this.seed = state?.seed ?? this.seed;
    this.paused = this.active && ((state?.paused ?? false) || (isNewTab && this.seat(this.tree.end().side) !== "you"));
    if (this.app.view === "play") this.enter();
  }

  /** Another tab plays this game. */
  changed() {
    this.leave();
    this.hint = undefined;
    this.paused = this.active && this.seat(this.tree.end().side) !== "you";
    if (this.app.view === "play") this.enter();
  }

  /** Who plays a side of the game on the board. */
  seat(/** @type {string} */ side) {
    return /** @type {any} */ (this.tree.facts.seats)?.[side] ?? "";
  }

  /** Who will play the next game, as the user chose. */
  wanted() {
    const { opponent, color } = settings;
    if (color === "both") return { black: "you", white: "you" };
    if (color === "none") return { black: opponent, white: opponent };
    return { black: color === "white" ? opponent : "you", white: color === "white" ? "you" : opponent };
  }

  build() {
    this.choices = make("div", "choices-row");
    this.more = make("details", "more", make("summary", "", t("more")), this.options());
    this.more.open = this.isMore ?? false;
    this.more.addEventListener("toggle", () => { this.isMore = this.more.open; });
    this.form = make("section", "card setup", make("h2", "message", ""), this.choices,
      make("div", "row-buttons", button(t("start-game"), "main", () => this.begin())), this.more);
    this.game = make("section", "card game-card", make("h2", "message", ""), make("div", "mistake-box"), make("p", "hint-text", ""), make("div", "row-buttons"));
    this.sheet = make("section", "card moves-card", make("h2", "opening", ""), sheetHost());
    this.panel.replaceChildren(this.game, this.form, this.sheet, make("p", "quiet keys-help", t("play-keys")));
    this.drawChoices();
  }

  /** What is behind "more". */
  options() {
    /** @type {[string, string][]} */
    const opponents = NAMES.map((name) => [name, labelOf(name)]);
    /** @type {[string, string][]} */
    const colors = ["black", "white", "both", "none"].map((color) => [color, t(`color-${color}`)]);
    /** @type {[string, string][]} */
    const starts = [["usual", t("start-usual")], ["xot", t("start-xot")], ...openings()];
    /** @type {[string, string][]} */
    const lessons = [["0", t("lesson-off")], ...[2, 4, 6, 10].map((limit) => /** @type {[string, string]} */ ([String(limit), t("lesson-from", { discs: limit })]))];
    /** @type {[string, string][]} */
    const clocks = [0, 1, 3, 5, 10, 20].map((minutes) => [String(minutes), minutes ? t("clock-minutes", { minutes }) : t("clock-none")]);
    /** @type {[string, string][]} */
    const levels = STRENGTHS.map((level) => [String(level), t("level", { level })]);
    const choose = (/** @type {"opponent" | "color" | "start"} */ name) => (/** @type {string} */ value) => {
      set(name, value);
      this.drawChoices();
      this.draw();
    };
    const fields = make("div", "fields",
      field(t("opponent"), select("opponent", opponents, settings.opponent, choose("opponent"))),
      field(t("color"), select("color", colors, settings.color, choose("color"))),
      field(t("start"), select("start", starts, settings.start, choose("start"))),
      field(t("clock"), select("clock", clocks, String(settings.clock), (value) => set("clock", Number(value)))),
      field(t("lesson"), select("lesson", lessons, String(settings.lesson), (value) => set("lesson", Number(value)))),
      field(t("engine-level"), select("engine-level", levels, String(settings.engineLevel), (value) => set("engineLevel", Number(value)))));
    return make("div", "", fields, make("p", "quiet", t("rating-help")));
  }

  drawChoices() {
    fill(this.choices, ...LARGE.map((name) => {
      const made = button(nameOf(name), "choice", () => {
        set("opponent", name);
        get("opponent").value = name;
        this.drawChoices();
        this.draw();
      });
      made.setAttribute("aria-pressed", String(settings.opponent === name));
      return made;
    }));
  }

  /** Changes the sides of the game that runs, or of the next one. */
  swap() {
    const { seats } = this.tree.facts;
    if (this.active && seats) {
      const swapped = { black: seats.white, white: seats.black };
      this.seatPlayers(this.tree, swapped);
      this.app.keep(this.tree);
      this.leave();
      this.advance();
    } else {
      set("color", settings.color === "white" ? "black" : "white");
      this.build();
    }
    this.draw();
  }

  /** @param {Tree} tree @param {{ black: string, white: string }} seats */
  seatPlayers(tree, seats) {
    Object.assign(tree.facts, { seats, black: nameOf(seats.black), white: nameOf(seats.white) });
    tree.ggf = undefined;
    tree.isChanged = true;
  }

  /** Begins a game; the one on the board stays in the library. */
  async begin(start = settings.start) {
    const { engine } = this.app;
    const tree = start === "xot" ? await this.randomStart() : start === "usual" ? Tree.start() : await Tree.opening(start, engine);
    this.put(tree.fix(), this.wanted(), t("new-game-begun"));
  }

  /** Begins a game with an opening against the opponent that is chosen. @param {string} name */
  async withOpening(name) {
    await this.begin(name);
    this.app.visit("play");
  }

  /** Begins a game from a position of Study; the user plays the side to move. */
  from(/** @type {Place} */ place) {
    const own = settings.color === "both" || settings.color === "none" ? this.wanted() : undefined;
    const seats = own ?? { black: settings.opponent, white: settings.opponent, [place.side]: "you" };
    const { tree } = this.app.boards.study;
    const copy = tree.copy(place);
    copy.facts = { black: "", white: "", date: "", event: "" };
    this.put(copy, seats, t("new-game-begun"));
    this.app.visit("play");
  }

  /** Puts a game on the board, and lets the user go back to the one before. @param {Tree} tree @param {{ black: string, white: string }} seats @param {string} text */
  put(tree, seats, text) {
    const { app } = this;
    const before = { board: app.boards.play, ...this.state() };
    const hadGame = before.board.tree.root.children.length > 0;
    this.leave();
    Object.assign(this, { hint: undefined, mistake: undefined, paused: false, busy: false, seed: newSeed() });
    this.left = settings.clock ? { black: 60000 * settings.clock, white: 60000 * settings.clock } : undefined;
    tree.facts.date ||= today();
    this.seatPlayers(tree, seats);
    app.load("play", tree, tree.end());
    if (hadGame) app.canUndo(text, () => this.restore(before));
    this.advance();
    this.draw();
  }

  /** Back to a board as it was. @param {any} before */
  restore({ board, left, paused, seed }) {
    this.leave();
    Object.assign(this, { left, paused, seed, hint: undefined, mistake: undefined });
    this.app.boards.play = board;
    this.app.remember();
    this.advance();
    this.draw();
  }

  /** An even position after some random moves, as in XOT. */
  async randomStart() {
    const { engine } = this.app;
    let tree = Tree.start();
    for (let tries = 0; tries < 40; tries += 1) {
      tree = Tree.start();
      let at = tree.root;
      for (let moves = 0; moves < RANDOM_MOVES && at.side !== ""; moves += 1) {
        at = await tree.play(at, at.legal[Math.floor(Math.random() * at.legal.length)], engine);
      }
      let score = Infinity;
      await engine.analyze({ position: key(at), level: 8 }, (answer) => { score = answer.score ?? Infinity; }).done;
      if (Math.abs(score) <= EVEN) break;
    }
    return tree;
  }

  /** Lets the engine think if it is its turn. */
  async advance() {
    const { app } = this;
    const place = this.tree.end();
    if (app.view !== "play" || !this.active || this.thinking) return this.draw();
    const player = this.seat(place.side);
    if (this.left && !this.paused && !this.since) this.since = performance.now();
    if (player === "you" || this.paused) return this.draw();
    let move = "";
    const began = performance.now();
    // With the move before: people answer near it.
    const request = { game: this.tree.write(place), turns: [path(place).length - 1], ...strengthOf(player, this.seed) };
    const search = app.engine.analyze(request, (answer) => { move = answer.moves[0]?.move ?? move; });
    this.thinking = search;
    this.draw();
    await search.done.catch((error) => say(error.message));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, LEAST_TIME - (performance.now() - began))));
    if (this.thinking !== search) return undefined;
    this.thinking = undefined;
    if (!move || this.tree.end() !== place || !this.active) return undefined;
    return this.move(place, move);
  }

  /** Plays a move of the game. @param {Place} place @param {string} move */
  async move(place, move) {
    const { app, tree } = this;
    this.hint = undefined;
    app.boards.play.place = place;
    this.halt();
    const next = await tree.play(place, move, app.engine);
    if (this.tree !== tree || tree.end() !== place) return;
    tree.endAt(next);
    app.sound();
    app.go(next, "play");
    app.keep(tree, { origin: "play" });
    const passed = next.move === "--" ? ` ${t("passes", { side: title(next.parent?.side ?? "") })}` : "";
    const end = next.side === "" ? ` ${this.message()}` : "";
    app.speak(labeled(title(place.side), move) + passed + end);
    if (this.seat(place.side) === "you") this.check(place, move);
    this.advance();
  }

  /** Looks what a move of a person lost; the engine's own move goes first. @param {Place} place @param {string} move */
  async check(place, move) {
    const found = await this.judge(place, move, 0);
    if (!found || !(found.played.loss >= MARKED) || !path(this.tree.end()).includes(place)) return;
    this.mistake = { place, ...found, open: false, shown: false };
    this.draw();
  }

  /** What a move is worth, and the best one. @param {Place} place @param {string} move @returns {Promise<any>} */
  async judge(place, move, priority = 1) {
    const { tree, app } = this;
    const after = place.children.find((each) => each.move === move);
    const turn = path(place).length - 1;
    const text = after ? tree.write(after) : (await tree.copy(place).write()).replace(/;\)$/, `${place.side === "white" ? "W" : "B"}[${move.toUpperCase()}];)`);
    const request = { game: text, turns: [turn], losses: true, level: HINT_LEVEL, why: spoken(), rating: settings.rating, priority };
    /** @type {any} */
    let found;
    await app.engine.analyze(request, (answer) => { if (answer.played) found = { played: answer.played, best: answer.moves[0] }; }).done.catch(() => {});
    return found;
  }

  /** Ends a game before its last move. @param {"time" | "resign"} how @param {string} loser */
  endBy(how, loser) {
    this.leave();
    this.tree.facts.ended = { how, winner: other(loser) };
    this.tree.ggf = undefined;
    this.app.keep(this.tree);
    this.app.speak(this.message());
    this.draw();
  }

  resign() {
    const { tree } = this;
    const { side } = tree.end();
    const before = { board: this.app.boards.play, ...this.state() };
    const loser = this.seat(side) === "you" ? side : other(side);
    this.endBy("resign", loser);
    this.app.canUndo(this.message(), () => {
      tree.facts.ended = undefined;
      tree.ggf = undefined;
      this.app.keep(tree);
      this.restore(before);
    });
  }

  async press(/** @type {string} */ square) {
    const { app, tree } = this;
    if (this.busy || this.thinking) return undefined;
    if (tree.facts.seats === undefined && tree.root.children.length === 0) return this.first(square);
    const place = tree.end();
    if (app.boards.play.place !== place) return app.go(place, "play");
    if (!this.active) return say(t("press-start"));
    if (!place.legal.includes(square) || this.seat(place.side) !== "you") return undefined;
    this.paused = false;
    this.busy = true;
    const isWanted = settings.lesson === 0 || await this.isWanted(place, square);
    this.busy = false;
    if (isWanted && this.tree === tree && tree.end() === place) return this.move(place, square);
    return this.draw();
  }

  /** The first press on the untouched board begins a game. */
  async first(/** @type {string} */ square) {
    if (!this.tree.root.legal.includes(square)) return undefined;
    await this.begin();
    const place = this.tree.end();
    if (this.seat(place.side) === "you" && place.legal.includes(square)) return this.press(square);
    return undefined;
  }

  /** Warns of a mistake, and asks whether to play it all the same; the better move is shown on request. */
  async isWanted(/** @type {Place} */ place, /** @type {string} */ move) {
    const found = await this.judge(place, move);
    if (!(found?.played.loss >= settings.lesson)) return true;
    const heading = make("h2", "", t("loses", { move, discs: discs(found.played.loss).slice(1) }));
    const content = make("div", "", heading, make("p", "", without(found.played.why ?? [], found.best.move).join(" ")));
    const answer = await ask(content, [["back", t("think-again")], ["show", t("show-better")], ["play", t("play-anyway")]]);
    if (answer === "show") {
      this.hint = { place, answer: { moves: [found.best], depth: 0 } };
      this.draw();
    }
    return answer === "play";
  }

  /** Takes back to the last move of the person; the moves stay as a side line. A game that is over stays: a copy goes on. */
  undo() {
    const { tree, app } = this;
    const { seats, ended } = tree.facts;
    if (!seats) return;
    const places = path(tree.end());
    const humans = ["black", "white"].filter((side) => this.seat(side) === "you");
    const isOver = ended !== undefined || tree.end().side === "";
    const isEnd = (/** @type {Place} */ each) => each === tree.end() && !(ended && humans.includes(each.side));
    const back = [...places].reverse().find((each) => !isEnd(each) && each.legal.length > 0 && (humans.length === 0 || humans.includes(each.side)));
    if (!back) return;
    const before = { board: app.boards.play, ...this.state() };
    const end = tree.end();
    this.leave();
    Object.assign(this, { hint: undefined, mistake: undefined, paused: humans.length === 0 });
    if (isOver) {
      const copy = tree.copy(back);
      copy.facts.ended = undefined;
      copy.isChanged = back.parent !== null;
      // After a loss on time the game goes on without clocks.
      if (ended?.how === "time") this.left = undefined;
      app.load("play", copy, back.parent ? copy.end() : copy.root);
      app.canUndo(t("goes-on-in-copy"), () => this.restore(before));
    } else {
      tree.endAt(back);
      app.go(back, "play");
      app.keep(tree);
      app.canUndo(t("taken-back"), () => {
        if (this.tree !== tree) return this.restore(before);
        tree.endAt(end);
        app.keep(tree);
        app.go(end, "play");
        return this.advance();
      });
    }
    this.draw();
  }

  async askHint() {
    const place = this.tree.end();
    if (!this.active || this.thinking || place.side === "") return;
    this.app.boards.play.place = place;
    // Against a person, also the move that such a player is likely to answer badly.
    const rating = ratingOf(this.seat(other(place.side)));
    const trap = rating ? { rating, trap: TRAP } : {};
    const request = { position: key(place), best_moves: rating ? "all" : 3, level: HINT_LEVEL, why: spoken(), ...trap };
    await this.app.engine.analyze(request, (answer) => { this.hint = { place, answer }; }).done.catch((error) => say(error.message));
    const best = this.hint?.answer.moves[0];
    if (best) this.app.speak(labeled(t("hint"), labeled(best.move, (best.why ?? []).join(" "))));
    this.draw();
  }

  pause() {
    this.paused = !this.paused;
    if (this.paused) this.leave();
    this.advance();
    this.app.remember();
  }

  /** Opens the game in Study: the same one if it is over, else a copy. */
  study() {
    const tree = this.active ? this.tree.runningCopy() : this.tree;
    this.app.study(tree, this.active ? tree.end() : tree.root);
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.key === "u") this.undo();
    else if (event.key === "h") this.askHint();
    else if (event.key === "f") this.swap();
    else if (event.key === "n") this.begin();
    else if (event.key === " " && this.active && (this.isDuel() || this.paused)) this.pause();
    else return false;
    return true;
  }

  isDuel() {
    return this.seat("black") !== "you" && this.seat("white") !== "you";
  }

  draw() {
    if (this.app.view !== "play" || !this.game) return;
    const { place } = this.app.boards.play;
    const { facts } = this.tree;
    const hint = this.hint?.place === place ? this.hint.answer : undefined;
    const isGame = facts.seats !== undefined;
    const next = this.wanted();
    this.desk.draw({
      names: isGame ? [facts.black, facts.white] : [nameOf(next.black), nameOf(next.white)],
      values: hint ? squareValues({ ...place, answer: hint }) : undefined,
      clocks: isGame ? this.clocks() : [],
      status: [openingName(place.opening), hint?.depth ? t("depth", { depth: hint.depth }) : ""].filter(Boolean).join(" \u00b7 "),
      steps: isGame,
      still: isGame && (!this.active || this.seat(place.side) !== "you"),
    });
    this.game.hidden = !isGame;
    this.sheet.hidden = !isGame;
    this.form.hidden = this.active;
    this.form.querySelector(".message").textContent = isGame ? t("new-game") : t(settings.color === "black" ? "press-or-start" : "choose-and-start");
    this.game.querySelector(".message").textContent = this.message();
    this.drawMistake();
    const best = hint?.moves[0];
    const trap = hint?.trap ? ` ${t("trap", { move: hint.trap.move, rating: hint.rating })}` : "";
    this.game.querySelector(".hint-text").textContent = best ? labeled(t("hint"), labeled(best.move, (best.why ?? []).join(" "))) + trap : "";
    this.sheet.querySelector(".opening").textContent = openingName(place.opening) || t("moves");
    drawSheet(this.sheet.querySelector(".game-moves"), this.app, false, false);
    this.drawButtons();
  }

  /** The last mistake: a number; its reason on a press; the better move on another one. */
  drawMistake() {
    const { mistake } = this;
    const box = this.game.querySelector(".mistake-box");
    if (!mistake || !path(this.tree.end()).includes(mistake.place)) return box.replaceChildren();
    const { played, best } = mistake;
    const mark = button(t("why-lost", { move: played.move, discs: discs(-played.loss) }), "mistake-mark", () => {
      mistake.open = !mistake.open;
      this.drawMistake();
    });
    mark.setAttribute("aria-expanded", String(mistake.open));
    const parts = [mark];
    if (mistake.open) {
      const reason = make("p", "reason", without(played.why ?? [], best.move).join(" ") || t("no-reason"));
      const better = mistake.shown ? make("p", "better", t("better-was", { move: best.move }), " ", (best.why ?? []).join(" ")) : button(t("show-better"), "", () => {
        mistake.shown = true;
        this.drawMistake();
      });
      parts.push(reason, better);
    }
    return fill(box, ...parts);
  }

  drawButtons() {
    const end = this.tree.end();
    const isOver = !this.active;
    const machines = this.isDuel();
    /** @type {[string, () => void, boolean][]} */
    const all = [
      ["undo", () => this.undo(), end.parent !== null],
      ["hint", () => this.askHint(), this.active],
      [this.paused ? "go-on" : "pause", () => this.pause(), this.active && (machines || this.paused)],
      ["resign", () => this.resign(), this.active && !machines && end.parent !== null],
      ["new-game", () => this.begin(), this.active],
      ["make-report", () => this.app.visit("report"), isOver && end.parent !== null],
      ["study-it", () => this.study(), end.parent !== null],
    ];
    const shown = all.filter(([id, , on]) => on || id === "undo" || id === "hint");
    fill(this.game.querySelector(".row-buttons"), ...shown.map(([id, act, on]) => {
      const made = button(t(id), id === "make-report" ? "main" : "", act);
      made.disabled = !on;
      made.dataset.key = id;
      return made;
    }));
  }

  /** Whose turn it is, or how the game ended. */
  message() {
    const place = this.tree.end();
    const { ended } = this.tree.facts;
    const isDuel = (this.seat("black") === "you") !== (this.seat("white") === "you");
    const own = (/** @type {string} */ winner) => (isDuel ? `${t(this.seat(winner) === "you" ? "you-win" : "you-lose")} ` : "");
    if (ended) return own(ended.winner) + t(ended.how === "time" ? "clock-over" : "resigned", { side: title(other(ended.winner)) });
    if (place.side === "") {
      const lead = Math.sign(forBlack(place) ?? 0);
      return (lead === 0 ? "" : own(lead > 0 ? "black" : "white")) + ending(place);
    }
    if (!this.active) return "";
    if (this.paused) return t("paused");
    if (this.seat(place.side) !== "you") return t("thinks", { name: nameOf(this.seat(place.side)) });
    const passed = place.move === "--" ? `${t("passes", { side: title(place.parent?.side ?? "") })} ` : "";
    const isBoth = this.seat("black") === "you" && this.seat("white") === "you";
    return passed + (isBoth ? t("to-move", { side: title(place.side) }) : t("your-move"));
  }
}
