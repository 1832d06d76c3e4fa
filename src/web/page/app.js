// What all parts of the page share: the engine, the store, and the games on the two boards. Play and Study have a board each.
import { get, say } from "./dom.js";
import { Engine } from "./engine.js";
import { recall, settings } from "./settings.js";
import { Store } from "./store.js";
import { t } from "./text.js";
import { Tree, follow, isPass, path } from "./tree.js";

/** Parts with the board, and parts that fill the page. */
export const VIEWS = ["play", "study", "report", "quiz", "library", "settings"];
const SESSION = "emilia.session";

/**
 * @typedef {object} View a part of the page
 * @property {() => void} draw
 * @property {() => void} [enter]
 * @property {() => void} [leave]
 * @property {(square: string) => void} [press]
 * @property {(event: KeyboardEvent) => boolean} [key] whether the key meant something
 */
/** @typedef {import("./tree.js").Place} Place */
/** @typedef {"play" | "study"} Side a board of the page */
/** @typedef {{ tree: Tree, place: Place }} Shown */

/** A board with the start position. @returns {Shown} */
function fresh() {
  const tree = Tree.start();
  return { tree, place: tree.root };
}

export class App {
  constructor() {
    this.engine = new Engine((fault) => this.fault(fault));
    this.store = new Store((fault) => this.warn(fault), (ids) => this.changed(ids));
    /** @type {Record<Side, Shown>} */
    this.boards = { play: fresh(), study: fresh() };
    /** The board that was shown last. @type {Side} */
    this.side = "play";
    /** @type {Record<string, View>} */
    this.views = {};
    this.view = "";
    this.moving = false;
    /** Whether a pointer is down. */
    this.isPressed = false;
    /** Whether the boards of the last visit are back. */
    this.isReady = false;
    /** A fault of the reader in words; of `open.js`. @type {(fault: any) => string} */
    this.explain = String;
    /** Shows a game that was read; of `open.js`. @type {(game: any, at?: number, note?: string) => Promise<void>} */
    this.openGame = async () => {};
    /** What the user can undo. @type {{ text: string, act: () => void } | undefined} */
    this.undoable = undefined;
    addEventListener("pointerdown", () => { this.isPressed = true; });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => { this.isPressed = false; }));
    get("undo").addEventListener("click", () => this.undo());
  }

  get tree() {
    return this.boards[this.side].tree;
  }

  get place() {
    return this.boards[this.side].place;
  }

  /** @returns {import("./library.js").Library} */
  get library() {
    return /** @type {any} */ (this.views.library);
  }

  /** @returns {import("./play.js").Play} */
  get player() {
    return /** @type {any} */ (this.views.play);
  }

  fault(/** @type {string} */ fault) {
    say(t("engine-failed", { fault }));
    this.current?.enter?.();
  }

  /** Shows as long as it is so that the browser does not keep games. */
  warn(/** @type {string} */ fault) {
    get("unkept").hidden = fault === "";
    if (fault) get("unkept-why").textContent = t("not-kept", { fault });
  }

  get current() {
    return this.views[this.view];
  }

  draw() {
    this.current?.draw();
  }

  /** Shows a part of the page. */
  show(/** @type {string} */ name) {
    const view = VIEWS.includes(name) ? name : "play";
    if (view === this.view) return;
    this.current?.leave?.();
    get(`panel-${this.view}`)?.replaceChildren();
    this.view = view;
    if (view === "play" || view === "study") this.side = view;
    document.body.dataset.view = view;
    for (const each of /** @type {any} */ (document.querySelectorAll(".bar a[href]"))) {
      if (each.hash === `#${view}` && !each.matches(".brand")) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
    this.current?.enter?.();
    this.draw();
    this.remember();
  }

  /** Another game on a board. @param {Side} side @param {Tree} tree @param {Place} place */
  load(side, tree, place = tree.root) {
    this.boards[side] = { tree, place };
    if (tree.isChanged) this.keep(tree);
    if (side === this.side) this.draw();
    this.remember();
  }

  /**
   * Shows a game in Study, and lets the user go back to the one before.
   * @param {Tree} tree
   * @param {Place} place
   */
  study(tree, place = tree.root, text = t("opened")) {
    const before = this.boards.study;
    this.load("study", tree, place);
    this.canUndo(text, () => {
      this.boards.study = before;
      this.visit("study");
      this.draw();
      this.remember();
    });
    this.visit("study");
  }

  /** Goes to a part of the page as its link does. */
  visit(/** @type {string} */ view) {
    if (location.hash === `#${view}`) this.show(view);
    else location.hash = `#${view}`;
  }

  go(/** @type {Place} */ place, side = this.side) {
    this.boards[side].place = place;
    if (side === this.side) this.draw();
    this.remember();
  }

  /** Hands a game to the library. */
  keep(/** @type {Tree} */ tree, extra = {}) {
    return this.library.keep(tree, extra);
  }

  /** Keeps which games are on the boards, for a reload of this tab and for the next visit. */
  remember() {
    if (!this.isReady) return;
    const boards = Object.entries(this.boards).map(([side, { tree, place }]) => [side, {
      id: tree.id, path: path(place).slice(1).map(({ move }) => move), unwritten: this.library.unwritten(tree),
    }]);
    const session = { id: "session", ...Object.fromEntries(boards), game: this.player.state() };
    try {
      sessionStorage.setItem(SESSION, JSON.stringify(session));
    } catch {
      // The store has it, too.
    }
    this.store.put("state", session);
  }

  /** The boards of this tab before a reload, else those of the last visit. */
  async resume() {
    let own;
    try {
      own = sessionStorage.getItem(SESSION);
    } catch {
      // The store has it, too.
    }
    await this.library.takeOver(recall);
    const session = own ? JSON.parse(own) : this.store.get("state", "session");
    for (const side of own ? ["play", "study"] : []) await this.library.regain(session[side]?.unwritten);
    for (const side of /** @type {Side[]} */ (["play", "study"])) {
      const known = session?.[side]?.id && this.store.get("games", session[side].id);
      const shown = this.boards[side];
      if (!known || known.deleted || shown.tree.id || shown.tree.root.children.length > 0) continue;
      const tree = await this.library.read(known).catch(() => undefined);
      if (!tree || this.boards[side] !== shown) continue;
      this.boards[side] = { tree, place: follow(tree.root, session[side].path) };
    }
    this.isReady = true;
    this.player.resume(session?.game, own === null || own === undefined);
  }

  /** Shows the games that another tab changed as they are now. */
  async changed(/** @type {Set<string>} */ ids) {
    for (const tree of new Set(Object.values(this.boards).map((shown) => shown.tree))) {
      const known = tree.id && ids.has(tree.id) ? this.store.get("games", tree.id) : undefined;
      if (!known || known.deleted || tree.isChanged || known.rev === tree.rev) continue;
      const newer = await this.library.read(known).catch(() => undefined);
      if (!newer || tree.isChanged || this.store.get("games", known.id).rev !== known.rev) continue;
      for (const side of /** @type {Side[]} */ (["play", "study"])) {
        const shown = this.boards[side];
        if (shown.tree !== tree) continue;
        const moves = path(shown.place).slice(1).map(({ move }) => move);
        this.boards[side] = { tree: newer, place: shown.place === tree.end() ? newer.end() : follow(newer.root, moves) };
        if (side === "play") this.player.changed();
      }
    }
    this.draw();
  }

  /** Offers to undo what was just done. @param {string} text @param {() => void} act */
  canUndo(text, act) {
    this.undoable = { text, act };
    get("undo").hidden = false;
    get("undo").title = `${t("undo-last")} (Ctrl+Z)`;
    say(text, [t("undo-last"), () => this.undo()]);
  }

  undo() {
    const { undoable } = this;
    this.undoable = undefined;
    get("undo").hidden = true;
    say("");
    undoable?.act();
  }

  /** Gives a game of the library the answers of its report. @param {Tree} tree @param {any} known */
  recallAnswers(tree, known) {
    const main = tree.main();
    for (const answer of known?.answers ?? []) {
      if (main[answer.turn]) main[answer.turn].answer = { ...answer, done: answer.level ?? known.level, language: answer.language ?? known.language };
    }
  }

  /** Plays a move from the place that a board shows. @param {string} move @param {Side} side */
  async play(move, side = this.side) {
    const { tree, place } = this.boards[side];
    if (this.moving || !place.legal.includes(move)) return false;
    this.moving = true;
    try {
      const next = await tree.play(place, move, this.engine);
      if (this.boards[side].tree !== tree) return false;
      this.sound();
      this.go(next, side);
      if (tree.isChanged) this.keep(tree);
      return true;
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      this.moving = false;
    }
  }

  /** One place on or back; passes are no places to stay. */
  step(/** @type {number} */ by) {
    // What was taken back in Play, and side lines behind the end of a game, are reached by their moves.
    if (by > 0 && this.place === this.tree.tip) return;
    let to = by > 0 ? this.place.children[0] : this.place.parent;
    while (to && isPass(to)) to = by > 0 ? to.children[0] : to.parent;
    if (to) this.go(to);
  }

  /** To the end of the line that is shown. */
  last() {
    let to = this.place;
    while (to !== this.tree.tip && to.children[0]) to = to.children[0];
    this.go(to);
  }

  /** To the start, or out of a side line. */
  first() {
    this.go(this.tree.root);
  }

  /** Back to the main line. */
  leaveLine() {
    const at = [...path(this.place)].reverse().find((each) => this.tree.isMain(each));
    if (at && at !== this.place) this.go(at);
  }

  /** A short click, if the user wants sounds. */
  sound() {
    if (!settings.sounds) return;
    const audio = new AudioContext();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = 420;
    volume.gain.setValueAtTime(0.15, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.09);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.1);
    tone.onended = () => audio.close();
  }

  /** Says something to screen readers. */
  speak(/** @type {string} */ text) {
    if (get("spoken").textContent !== text) get("spoken").textContent = text;
  }
}
