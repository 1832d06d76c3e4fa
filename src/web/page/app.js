// What all parts of the page share: the engine, the game and the place in it.
import { get, say } from "./dom.js";
import { Engine } from "./engine.js";
import { recall, remember, settings } from "./settings.js";
import { Store } from "./store.js";
import { t } from "./text.js";
import { Tree, isPass, path } from "./tree.js";

/** Parts with the board, and parts that fill the page. */
export const VIEWS = ["play", "study", "report", "quiz", "library", "settings"];
const LAST_GAME = "emilia.game";

/**
 * @typedef {object} View a part of the page
 * @property {() => void} draw
 * @property {() => void} [enter]
 * @property {() => void} [leave]
 * @property {(square: string) => void} [press]
 * @property {(event: KeyboardEvent) => boolean} [key] whether the key meant something
 */

export class App {
  constructor() {
    this.engine = new Engine((fault) => this.fault(fault));
    this.store = new Store();
    this.tree = Tree.start();
    /** @type {import("./tree.js").Place} */
    this.place = this.tree.root;
    /** @type {Record<string, View>} */
    this.views = {};
    this.view = "";
    this.moving = false;
    /** Whether a pointer is down. */
    this.isPressed = false;
    addEventListener("pointerdown", () => { this.isPressed = true; });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => { this.isPressed = false; }));
  }

  fault(/** @type {string} */ fault) {
    say(t("engine-failed", { fault }));
    this.current?.enter?.();
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
    this.view = view;
    document.body.dataset.view = view;
    for (const each of /** @type {any} */ (document.querySelectorAll(".bar a[href]"))) {
      if (each.hash === `#${view}` && !each.matches(".brand")) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
    this.current?.enter?.();
    this.draw();
  }

  /** Another game, shown from its start or end. */
  load(/** @type {Tree} */ tree, place = tree.root) {
    this.tree = tree;
    this.go(place);
  }

  go(/** @type {import("./tree.js").Place} */ place) {
    this.place = place;
    this.draw();
    this.keep();
  }

  /** Keeps the game beyond a reload. */
  keep() {
    const main = this.tree.main();
    const at = main.indexOf(this.place);
    const id = this.tree.id ?? "";
    remember(LAST_GAME, JSON.stringify({ ggf: this.tree.write(), at: at < 0 ? main.length - 1 : at, id }));
  }

  /** The game of the last visit. */
  async resume() {
    const kept = recall(LAST_GAME);
    if (!kept) return;
    const untouched = this.tree;
    const { ggf, at, id } = JSON.parse(kept);
    const game = (await this.engine.call("games", { text: ggf })).games[0];
    if (!game || this.tree !== untouched || this.place !== untouched.root || untouched.root.children.length > 0) return;
    const tree = new Tree(game);
    tree.id = id || undefined;
    this.recallAnswers(tree);
    this.load(tree, tree.main()[at] ?? tree.end());
  }

  /** Gives a game of the library the answers of its report. */
  recallAnswers(/** @type {Tree} */ tree) {
    const known = tree.id ? this.store.get("games", tree.id) : undefined;
    const main = tree.main();
    for (const answer of known?.answers ?? []) if (main[answer.turn]) main[answer.turn].answer = { ...answer, done: known.level, language: known.language };
  }

  /** Plays a move from the place that is shown. */
  async play(/** @type {string} */ move) {
    if (this.moving || !this.place.legal.includes(move)) return false;
    this.moving = true;
    const { tree } = this;
    try {
      const next = await tree.play(this.place, move, this.engine);
      if (this.tree !== tree) return false;
      this.sound();
      this.go(next);
      return true;
    } catch (error) {
      say(String(error));
      return false;
    } finally {
      this.moving = false;
    }
  }

  /** One place on or back; passes are no places to stay. */
  step(/** @type {number} */ by) {
    let to = by > 0 ? this.place.children[0] : this.place.parent;
    while (to && isPass(to)) to = by > 0 ? to.children[0] : to.parent;
    if (to) this.go(to);
  }

  /** To the end of the line that is shown. */
  last() {
    let to = this.place;
    while (to.children[0]) to = to.children[0];
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
