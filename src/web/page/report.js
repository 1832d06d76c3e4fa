// Report: all positions of a game searched by several workers, then the page that `emilia report` writes.
import { button, field, get, make, save, say, select } from "./dom.js";
import { Engine } from "./engine.js";
import { set, settings } from "./settings.js";
import { spoken, t, time } from "./text.js";
import { LEVELS, levelName } from "./study.js";
import { fitting, merged } from "./library.js";

/** Milliseconds of a slice: nobody waits for clicks. */
const SLICE = 150;
/** Of the positions that a cancelled run leaves. */
const QUICK_LEVEL = 4;

export class ReportView {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.host = get("page-report");
    /** What runs. @type {{ tree: any, cancel: () => void } | undefined} */
    this.run = undefined;
    /** The finished page and its game. @type {{ tree: any, ends: any, html: string, name: string } | undefined} */
    this.done = undefined;
  }

  enter() {
    this.build();
    const known = this.known(this.app.tree);
    if (!this.run && known?.answers && !this.isShown()) this.write(this.app.tree, known.answers).catch((error) => say(error.message));
  }

  /** What the library has of a game. @param {any} tree */
  known(tree) {
    return tree.id ? this.app.store.get("games", tree.id) : undefined;
  }

  /** Whether the report that is shown is about the game on the board. */
  isShown() {
    return this.done?.tree === this.app.tree && this.done?.ends === this.app.tree.end();
  }

  build() {
    const { tree } = this.app;
    const moves = tree.main().length - 1;
    const names = [tree.facts.black, tree.facts.white].filter(Boolean).join(" \u2013 ") || t("this-game");
    const levels = LEVELS.filter((level) => level < 60).map((level) => /** @type {[string, string]} */ ([String(level), levelName(level)]));
    const bar = make("progress");
    bar.setAttribute("aria-label", t("progress"));
    this.head = make("section", "card report-head",
      make("div", "about-game", make("h2", "", names), make("p", "quiet", moves > 0 ? t("moves-count", { count: moves }) : t("no-game"))),
      make("div", "row-buttons",
        field(t("analysis-level"), select("report-level", levels, String(settings.reportLevel), (value) => set("reportLevel", Number(value)))),
        button(t("analyze-game"), "main", () => this.start()),
        button(t("cancel"), "cancel", () => this.run?.cancel()),
        button(t("save-html"), "save", () => this.done && save(`${this.done.name}.html`, this.done.html, "text/html"))),
      make("div", "progress", bar, make("span", "quiet", "")));
    this.frame = make("iframe", "report-frame");
    this.frame.title = t("report");
    // The report's side lines have this page's engine.
    this.frame.addEventListener("load", () => { this.frame.contentWindow.emilia = this.app.engine; });
    this.host.replaceChildren(this.head, this.frame);
    this.show();
    this.drawHead();
  }

  drawHead() {
    const part = (/** @type {string} */ selector) => this.head.querySelector(selector);
    const runs = this.run !== undefined;
    part(".main").disabled = runs || this.app.tree.main().length < 2;
    part(".cancel").hidden = part(".progress").hidden = !runs;
    part(".save").hidden = !this.isShown() || runs;
  }

  draw() {
    // A report stays what it is while the board changes elsewhere.
  }

  /** How far the run is. @param {number} done @param {number} all @param {number} began */
  progress(done, all, began) {
    const seconds = (performance.now() - began) / 1000;
    const left = done > 2 ? t("time-left", { time: time((seconds / done) * (all - done)) }) : "";
    const bar = this.head.querySelector("progress");
    bar.max = all;
    bar.value = done;
    this.head.querySelector(".progress span").textContent = `${done} / ${all} ${left}`;
  }

  start() {
    return this.analyze(this.app.tree);
  }

  /** Reports on games of the library, one after another. @param {any[]} games */
  async startMany(games) {
    this.app.visit("report");
    for (const game of games) {
      const shown = Object.values(this.app.boards).find(({ tree }) => tree.id === game.id);
      const tree = shown?.tree ?? await this.app.library.read(this.app.store.get("games", game.id));
      const { cancelled } = await this.analyze(tree);
      if (cancelled) break;
    }
    this.app.visit("library");
  }

  /** Searches all positions of a game and keeps the answers. A cancelled run keeps what is done; the rest gets a quick look. @param {any} tree */
  async analyze(tree) {
    const level = settings.reportLevel;
    const count = tree.main().length;
    /** @type {any[]} */
    const answers = [];
    const state = { cancelled: false };
    const helpers = [...Array(Math.max(0, Math.min(settings.workers, count) - 1)).keys()].map(() => new Engine((fault) => say(fault)));
    try {
      // From the end on: what is found there helps before it.
      await this.search(tree, [this.app.engine, ...helpers], [...Array(count).keys()].reverse(), level, answers, state);
      if (state.cancelled) {
        const older = fitting(this.known(tree)?.answers ?? [], tree);
        const known = new Set([...answers, ...older].map(({ turn }) => turn));
        const left = [...Array(count).keys()].filter((turn) => !known.has(turn));
        await this.search(tree, [this.app.engine, ...helpers], left, QUICK_LEVEL, answers, { cancelled: false });
      }
      this.run = undefined;
      await this.keep(tree, answers);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    } finally {
      this.run = undefined;
      for (const helper of helpers) helper.end();
      this.drawHead();
    }
    return state;
  }

  /** @param {any} tree @param {Engine[]} engines @param {number[]} turns @param {number} level @param {any[]} answers @param {{ cancelled: boolean }} state */
  async search(tree, engines, turns, level, answers, state) {
    const game = tree.write();
    const all = turns.length;
    const began = performance.now();
    /** @type {Set<import("./engine.js").Search>} */
    const searches = new Set();
    this.run = {
      tree,
      cancel: () => {
        state.cancelled = true;
        for (const search of searches) search.cancel();
      },
    };
    this.drawHead();
    this.progress(0, all, began);
    const work = async (/** @type {Engine} */ one) => {
      for (let turn = turns.shift(); turn !== undefined && !state.cancelled; turn = turns.shift()) {
        const request = { game, turns: [turn], losses: true, best_moves: "all", level, why: spoken(), rating: settings.rating };
        const search = one.analyze(request, (answer) => {
          if (!answer.partial && !answer.cancelled) answers.push({ ...answer, level, language: spoken() });
        }, SLICE);
        searches.add(search);
        await search.done;
        searches.delete(search);
        this.progress(all - turns.length - searches.size, all, began);
      }
    };
    await Promise.all(engines.map(work));
  }

  /** Keeps the answers with the game, for study, quiz and the next visit; a fuller answer of an older report stays. @param {any} tree @param {any[]} answers */
  async keep(tree, answers) {
    await this.app.library.queue;
    const known = this.known(tree);
    const older = fitting(known?.answers ?? [], tree).map((each) => ({ level: known.level, language: known.language, ...each }));
    const all = merged(older, answers);
    const level = Math.max(...all.map((answer) => answer.level ?? 0));
    this.app.recallAnswers(tree, { answers: all });
    await this.app.keep(tree, { answers: all, level, language: spoken() });
    if (tree === this.app.tree) await this.write(tree, all);
  }

  /** Writes the page. @param {any} tree @param {any[]} answers */
  async write(tree, answers) {
    const ends = tree.end();
    // A game that went on since its report needs another one.
    if (answers.length < tree.main().length) return;
    // The engine reads only what its stream wrote.
    const lines = answers.map(({ done, level, language, ...answer }) => answer);
    const levels = answers.map(({ level }) => level ?? this.known(tree)?.level ?? 0);
    const level = Math.max(...levels);
    const whole = levels.filter((each) => each === level).length;
    const effort = whole === levels.length ? t("level", { level }) : t("level-partly", { level, whole, all: levels.length });
    const { html } = await this.app.engine.call("report", { text: tree.write(), answers: lines, language: spoken(), effort });
    const names = [tree.facts.black, tree.facts.white].filter(Boolean).join("-") || "report";
    this.done = { tree, ends, html, name: names.replace(/[^\p{L}\p{N}-]+/gu, "-") };
    this.show();
    this.drawHead();
  }

  /** Shows the page that is there, in the theme of this one. */
  show() {
    this.frame.hidden = !this.isShown();
    if (!this.done || this.frame.hidden) return;
    const { theme } = settings;
    const wanted = theme === "auto" ? undefined : theme === "dark" ? "all" : "not all";
    // Without its own base the parts of the page would lead out of the frame.
    let html = this.done.html.replace("<head>", '<head><base href="about:srcdoc">');
    if (wanted) html = html.replaceAll("(prefers-color-scheme: dark)", wanted);
    this.frame.srcdoc = html;
  }
}
