// Play: a person or the engine on each side, hints, lessons, undo.
import { ask, button, field, get, make, say, select } from "./dom.js";
import { ending } from "./desk.js";
import { drawSheet, sheetHost } from "./moves.js";
import { recall, remember, set, settings } from "./settings.js";
import { clock, discs, labeled, spoken, t, title } from "./text.js";
import { squareValues } from "./study.js";
import { Tree, forBlack, key, path } from "./tree.js";

const PLAYING = "emilia.playing";
const ELOS = [400, 800, 1200, 1600, 2000, 2400];
const STRENGTHS = [1, 4, 8, 12, 16, 20, 24];
/** Strength of hints, and of the check of a move in a lesson. */
const HINT_LEVEL = 12;
/** The shortest time that the engine seems to think, in milliseconds. */
const LEAST_TIME = 350;
/** Moves of a random start, and the most that a side may be ahead in it, in discs. */
const RANDOM_MOVES = 8;
const EVEN = 3;

/** A player's name, for people and files. */
function nameOf(/** @type {string} */ player) {
  if (player === "you") return t("you");
  return player.startsWith("elo") ? `Emilia ${player.slice(3)}` : `Emilia ${t("level", { level: player.slice(5) })}`;
}

/** @returns {[string, string][]} */
const players = () => [
  ["you", t("you")],
  ...ELOS.map((elo) => /** @type {[string, string]} */ ([`elo${elo}`, `${t(`elo-${elo}`)} (${elo})`])),
  ...STRENGTHS.map((level) => /** @type {[string, string]} */ ([`level${level}`, `Emilia, ${t("level", { level })}`])),
];

const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 10);

export class Play {
  /** @param {import("./app.js").App} app @param {import("./desk.js").Desk} desk */
  constructor(app, desk) {
    this.app = app;
    this.desk = desk;
    this.panel = get("panel-play");
    this.active = false;
    this.paused = false;
    this.busy = false;
    /** @type {import("./engine.js").Search | undefined} */
    this.thinking = undefined;
    /** The hint for the place on the board. @type {any} */
    this.hint = undefined;
    /** Milliseconds that the sides have left, with clocks. @type {Record<string, number> | undefined} */
    this.left = undefined;
    /** When the clock that runs was started; 0 while none does. */
    this.since = 0;
    /** The side whose time is over. */
    this.late = "";
    setInterval(() => this.tick(), 200);
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
    const { side } = this.app.tree.end();
    if (this.left && this.since && side) this.left[side] -= performance.now() - this.since;
    this.since = 0;
  }

  /** What the clocks show. */
  clocks() {
    const { side } = this.app.tree.end();
    const gone = this.since ? performance.now() - this.since : 0;
    return this.left ? ["black", "white"].map((each) => clock((this.left?.[each] ?? 0) - (each === side ? gone : 0))) : [];
  }

  /** Shows the clocks; a side without time has lost. */
  tick() {
    if (!this.since || !this.left) return;
    const shown = this.clocks();
    document.querySelectorAll(".seat .clock").forEach((each, at) => { each.textContent = shown[at]; });
    const { side } = this.app.tree.end();
    if (this.left[side] > performance.now() - this.since) return;
    this.late = side;
    this.leave();
    this.finish();
  }

  /** Goes on with the game of the last visit. */
  resume() {
    const kept = recall(PLAYING);
    this.active = kept !== "" && this.app.tree.end().side !== "";
    if (this.active && kept.startsWith("{")) this.left = JSON.parse(kept);
    if (this.app.view === "play") this.enter();
  }

  setActive(/** @type {boolean} */ active) {
    this.active = active;
    if (!active) this.since = 0;
    remember(PLAYING, active ? JSON.stringify(this.left ?? 1) : "");
  }

  playerOf(/** @type {string} */ side) {
    return side === "white" ? settings.white : settings.black;
  }

  build() {
    const seat = (/** @type {"black" | "white"} */ side) => {
      const control = select(`player-${side}`, players(), settings[side], (value) => set(side, value));
      return field(title(side), control);
    };
    /** @type {[string, string][]} */
    const starts = [["usual", t("start-usual")], ["xot", t("start-xot")], ["board", t("start-board")]];
    /** @type {[string, string][]} */
    const lessons = [["0", t("lesson-off")], ...[2, 4, 6, 10].map((limit) => /** @type {[string, string]} */ ([String(limit), t("lesson-from", { discs: limit })]))];
    const clocks = [0, 1, 3, 5, 10, 20].map((minutes) => /** @type {[string, string]} */ ([String(minutes), minutes ? t("clock-minutes", { minutes }) : t("clock-none")]));
    this.form = make("details", "card setup", make("summary", "", make("h2", "", t("new-game"))), make("div", "fields",
      seat("black"), seat("white"),
      field(t("start"), select("start", starts, settings.start, (value) => set("start", value))),
      field(t("clock"), select("clock", clocks, String(settings.clock), (value) => set("clock", Number(value)))),
      field(t("lesson"), select("lesson", lessons, String(settings.lesson), (value) => set("lesson", Number(value))))));
    this.form.open = !this.active;
    this.form.append(make("div", "row-buttons",
      button(t("start-game"), "main", () => this.begin()),
      button(t("swap-sides"), "", () => this.swap())));
    this.game = make("section", "card game-card", make("h2", "message", ""), make("p", "hint-text", ""), make("div", "row-buttons"));
    this.sheet = make("section", "card moves-card", make("h2", "opening", ""), sheetHost());
    this.panel.replaceChildren(this.game, this.form, this.sheet, make("p", "quiet keys-help", t("play-keys")));
  }

  swap() {
    const { black, white } = settings;
    set("black", white);
    set("white", black);
    this.build();
    this.app.draw();
    this.advance();
  }

  async begin() {
    this.leave();
    this.hint = undefined;
    let tree = Tree.start();
    if (settings.start === "xot") tree = await this.randomStart();
    if (settings.start === "board" && this.app.place.side !== "") tree = new Tree({ positions: [{ ...this.app.place, played: "" }] });
    this.late = "";
    this.left = settings.clock ? { black: 60000 * settings.clock, white: 60000 * settings.clock } : undefined;
    tree.facts = { black: nameOf(settings.black), white: nameOf(settings.white), date: today(), event: "" };
    this.setActive(true);
    this.paused = false;
    this.busy = false;
    this.form.open = false;
    this.app.load(tree, tree.end());
    this.advance();
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
    const place = app.tree.end();
    if (app.view !== "play" || !this.active || this.thinking) return;
    if (place.side === "") {
      this.finish();
      return;
    }
    const player = this.playerOf(place.side);
    if (this.left && !this.paused && !this.since) this.since = performance.now();
    if (player === "you" || this.paused) {
      this.draw();
      return;
    }
    const strength = player.startsWith("elo") ? { elo: Number(player.slice(3)) } : { level: Number(player.slice(5)) };
    let move = "";
    const began = performance.now();
    const search = app.engine.analyze({ position: key(place), ...strength }, (answer) => { move = answer.moves[0]?.move ?? move; });
    this.thinking = search;
    this.draw();
    await search.done.catch((error) => say(error.message));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, LEAST_TIME - (performance.now() - began))));
    if (this.thinking !== search) return;
    this.thinking = undefined;
    if (!move || app.tree.end() !== place) return;
    await this.put(place, move);
  }

  /** @param {import("./tree.js").Place} place @param {string} move */
  async put(place, move) {
    this.hint = undefined;
    this.app.place = place;
    this.halt();
    if (await this.app.play(move)) {
      if (this.left) this.setActive(true);
      this.app.speak(labeled(title(place.side), move));
      this.advance();
    }
  }

  finish() {
    this.setActive(false);
    /** @type {any} */ (this.app.views.library).keepTree(this.app.tree, {}, true);
    this.draw();
  }

  async press(/** @type {string} */ square) {
    const place = this.app.tree.end();
    if (this.app.place !== place) return this.app.go(place);
    if (!this.active) return say(t("press-start"));
    if (this.busy || this.thinking || !place.legal.includes(square) || this.playerOf(place.side) !== "you") return undefined;
    this.busy = true;
    const wanted = settings.lesson === 0 || await this.isWanted(place, square);
    this.busy = false;
    if (wanted) return this.put(place, square);
    return this.draw();
  }

  /** Warns of a mistake, and asks whether to play it all the same. */
  async isWanted(/** @type {import("./tree.js").Place} */ place, /** @type {string} */ move) {
    const { tree, engine } = this.app;
    const after = await tree.play(place, move, engine);
    const next = path(after).find((each) => each.parent === place) ?? after;
    const request = { game: tree.write(next), turns: [path(place).length - 1], losses: true, level: HINT_LEVEL, why: spoken() };
    /** @type {any} */
    let played;
    await engine.analyze(request, (answer) => { played = answer.played; }).done.catch(() => {});
    if (!(played?.loss >= settings.lesson)) return true;
    tree.cut(next);
    const content = make("div", "", make("h2", "", t("loses", { move, discs: discs(played.loss).slice(1) })),
      make("p", "", (played.why ?? []).join(" ")));
    const answer = await ask(content, [["back", t("think-again")], ["play", t("play-anyway")]]);
    return answer === "play";
  }

  /** Takes back to the last move of the person. */
  undo() {
    const { tree } = this.app;
    this.leave();
    const places = path(tree.end());
    const humans = ["black", "white"].filter((side) => this.playerOf(side) === "you");
    const back = [...places].reverse().find((each) => each !== tree.end() && each.legal.length > 0 && (humans.length === 0 || humans.includes(each.side)));
    if (!back) return;
    tree.cut(/** @type {any} */ (places.find((each) => each.parent === back)));
    this.hint = undefined;
    // After a loss on time the game goes on without clocks.
    if (this.late) this.left = undefined;
    this.late = "";
    this.setActive(true);
    this.paused = humans.length === 0;
    this.app.go(back);
  }

  async askHint() {
    const place = this.app.tree.end();
    if (!this.active || this.thinking || place.side === "") return;
    this.app.place = place;
    const request = { position: key(place), best_moves: 3, level: HINT_LEVEL, why: spoken() };
    await this.app.engine.analyze(request, (answer) => { this.hint = { place, answer }; }).done.catch((error) => say(error.message));
    this.draw();
  }

  pause() {
    this.paused = !this.paused;
    if (this.paused) this.leave();
    this.advance();
    this.draw();
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.key === "u") this.undo();
    else if (event.key === "h") this.askHint();
    else if (event.key === "f") this.swap();
    else if (event.key === "n") this.begin();
    else if (event.key === " ") this.pause();
    else return false;
    return true;
  }

  draw() {
    if (this.app.view !== "play" || !this.game) return;
    const { place, tree } = this.app;
    const hint = this.hint?.place === place ? this.hint.answer : undefined;
    const { facts } = tree;
    const inGame = this.active || facts.black !== "";
    this.desk.draw({
      names: this.active || !inGame ? [nameOf(settings.black), nameOf(settings.white)] : [facts.black, facts.white],
      values: hint ? squareValues({ ...place, answer: hint }) : undefined,
      clocks: this.active || this.late ? this.clocks() : [],
      status: place.opening,
      still: !this.active || this.playerOf(place.side) !== "you",
    });
    this.game.querySelector(".message").textContent = this.message();
    const best = hint?.moves[0];
    this.game.querySelector(".hint-text").textContent = best ? labeled(best.move, (best.why ?? []).join(" ")) : "";
    this.sheet.querySelector(".opening").textContent = place.opening || t("moves");
    drawSheet(this.sheet.querySelector(".game-moves"), this.app, false);
    const over = tree.end().side === "";
    this.game.classList.toggle("waits", !this.active && tree.end().parent === null);
    const machines = settings.black !== "you" && settings.white !== "you";
    /** @type {[string, () => void, boolean][]} */
    const all = [
      ["undo", () => this.undo(), tree.end().parent !== null],
      ["hint", () => this.askHint(), this.active && !over],
      [this.paused ? "go-on" : "pause", () => this.pause(), this.active && machines],
      ["make-report", () => { location.hash = "#report"; }, over],
      ["study-it", () => { location.hash = "#study"; }, tree.end().parent !== null],
    ];
    const row = this.game.querySelector(".row-buttons");
    const shown = all.filter(([id, , on]) => on || id === "undo" || id === "hint");
    row.replaceChildren(...shown.map(([id, act, on]) => {
      const made = button(t(id), id === "make-report" ? "main" : "", act);
      made.disabled = !on;
      made.dataset.id = id;
      return made;
    }));
  }

  /** Whose turn it is, or how the game ended. */
  message() {
    const place = this.app.tree.end();
    if (this.late) return t("clock-over", { side: title(this.late) });
    if (place.side === "") {
      const lead = Math.sign(forBlack(place) ?? 0);
      const winner = lead > 0 ? settings.black : settings.white;
      const isDuel = (settings.black === "you") !== (settings.white === "you") && this.app.tree.facts.black !== "";
      if (isDuel && lead !== 0) return `${t(winner === "you" ? "you-win" : "you-lose")} ${ending(place)}`;
      return ending(place);
    }
    if (!this.active) return t("choose-and-start");
    if (this.paused) return t("paused");
    if (this.playerOf(place.side) !== "you") return t("thinks", { name: nameOf(this.playerOf(place.side)) });
    const passed = place.move === "--" ? `${t("passes", { side: title(place.parent?.side ?? "") })} ` : "";
    const humans = settings.black === "you" && settings.white === "you";
    return passed + (humans ? t("to-move", { side: title(place.side) }) : t("your-move"));
  }
}
