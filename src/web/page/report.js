// Report: all positions of a game searched by several workers, then the page that `emilia report` writes.
import { button, field, get, make, save, say, select } from "./dom.js";
import { Engine } from "./engine.js";
import { set, settings } from "./settings.js";
import { spoken, t, time } from "./text.js";
import { LEVELS, levelName } from "./study.js";

/** Milliseconds of a slice: nobody waits for clicks. */
const SLICE = 150;

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
    const known = this.app.tree.id ? this.app.store.get("games", this.app.tree.id) : undefined;
    if (!this.run && known?.answers && !this.isShown()) this.write(known.answers, known.level).catch((error) => say(error.message));
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

  async start() {
    const { tree, engine } = this.app;
    const main = tree.main();
    const game = tree.write();
    const level = settings.reportLevel;
    // From the end on: what is found there helps before it.
    const turns = [...main.keys()].reverse();
    const all = turns.length;
    const began = performance.now();
    /** @type {any[]} */
    const answers = [];
    const helpers = [...Array(Math.max(0, Math.min(settings.workers, all) - 1)).keys()].map(() => new Engine((fault) => say(fault)));
    /** @type {Set<import("./engine.js").Search>} */
    const searches = new Set();
    let cancelled = false;
    this.run = {
      tree,
      cancel: () => {
        cancelled = true;
        for (const search of searches) search.cancel();
      },
    };
    this.drawHead();
    this.progress(0, all, began);
    const work = async (/** @type {Engine} */ one) => {
      for (let turn = turns.shift(); turn !== undefined && !cancelled; turn = turns.shift()) {
        const request = { game, turns: [turn], losses: true, best_moves: "all", level, why: spoken() };
        const search = one.analyze(request, (answer) => {
          if (!answer.partial && !answer.cancelled) answers.push(answer);
        }, SLICE);
        searches.add(search);
        await search.done;
        searches.delete(search);
        this.progress(all - turns.length - searches.size, all, began);
      }
    };
    try {
      await Promise.all([engine, ...helpers].map(work));
      this.run = undefined;
      if (answers.length > 0) await this.keep(tree, answers, level);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    } finally {
      this.run = undefined;
      for (const helper of helpers) helper.end();
      this.drawHead();
    }
  }

  /** Keeps the answers with the game, for study, quiz and the next visit. @param {any} tree @param {any[]} answers @param {number} level */
  async keep(tree, answers, level) {
    const main = tree.main();
    for (const answer of answers) {
      if (main[answer.turn]?.side) main[answer.turn].answer = { ...answer, done: level, language: spoken() };
    }
    await /** @type {any} */ (this.app.views.library).keepTree(tree, { answers, level, language: spoken() }, true);
    if (tree === this.app.tree) await this.write(answers, level);
  }

  /** Writes the page. @param {any[]} answers @param {number} level */
  async write(answers, level) {
    const { tree } = this.app;
    const ends = tree.end();
    // The engine reads only what its stream wrote.
    const lines = answers.map(({ done, ...answer }) => answer);
    const { html } = await this.app.engine.call("report", {
      text: tree.write(), answers: lines, language: spoken(), effort: t("level", { level }),
    });
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
