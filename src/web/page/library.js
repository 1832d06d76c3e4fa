// Library: the games that the browser keeps.
import { ask, button, field, get, make, save, say } from "./dom.js";
import { discs, labeled, t } from "./text.js";
import { Tree, forBlack } from "./tree.js";

/** Discs that each side lost in the moves of a report. */
function losses(/** @type {any[]} */ answers) {
  const sums = [0, 0];
  for (const { position, played } of answers) if (played?.loss) sums[position.endsWith("X") ? 0 : 1] += played.loss;
  return sums;
}

const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

export class Library {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.host = get("page-library");
    this.search = "";
  }

  /**
   * Keeps a game; one that is there already is replaced.
   * @param {Tree} tree
   * @param {any} [extra]
   */
  async keepTree(tree, extra = {}, quiet = false) {
    const end = tree.end();
    if (!end.parent) return;
    const old = tree.id ? this.app.store.get("games", tree.id) : undefined;
    tree.id ??= newId();
    const ggf = tree.write();
    const same = old?.ggf === ggf ? old : {};
    const entry = {
      added: old?.added ?? Date.now(), ...same, ...extra, id: tree.id, ggf, ...tree.facts,
      moves: tree.main().filter(({ move }) => move && move !== "--").length,
      result: end.side === "" ? forBlack(end) : undefined,
      opening: end.opening,
    };
    if (entry.answers) entry.lost = losses(entry.answers);
    await this.app.store.put("games", entry).catch(() => say(t("not-kept")));
    this.app.keep();
    if (!quiet) say(t("kept"));
  }

  /** Keeps many games of a file. @param {any[]} games */
  async keepAll(games) {
    const entries = games.map((game, place) => {
      const tree = new Tree(game);
      return {
        id: newId() + place, added: Date.now() + place, ggf: game.ggf, ...tree.facts, result: game.result, opening: game.opening ?? "",
        moves: tree.main().filter(({ move }) => move && move !== "--").length,
      };
    });
    await this.app.store.put("games", ...entries).catch(() => say(t("not-kept")));
  }

  enter() {
    const search = make("input");
    search.type = "search";
    search.id = "library-search";
    search.value = this.search;
    search.addEventListener("input", () => {
      this.search = search.value;
      this.drawList();
    });
    this.list = make("ul", "library");
    this.sum = make("p", "quiet", "");
    this.sum.setAttribute("role", "status");
    const head = make("div", "library-head", make("h2", "", t("library")), field(t("search"), search),
      button(t("export-all"), "", () => this.exportAll()));
    this.host.replaceChildren(make("section", "card", head, this.sum, this.list));
  }

  draw() {
    this.drawList();
  }

  drawList() {
    const all = this.app.store.all("games").sort((a, b) => b.added - a.added);
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (/** @type {any} */ game) => [game.black, game.white, game.date, game.event, game.opening].join(" ").toLowerCase();
    const found = all.filter((game) => words.every((word) => text(game).includes(word)));
    this.sum.textContent = all.length === 0 ? t("library-empty") : t("games-found", { found: found.length, all: all.length });
    this.list.replaceChildren(...found.slice(0, 300).map((game) => this.row(game)));
  }

  row(/** @type {any} */ game) {
    const names = `${game.black || t("black")} \u2013 ${game.white || t("white")}`;
    const open = button("", "game", () => this.open(game));
    const result = game.result === undefined ? t("moves-count", { count: game.moves }) : discs(game.result, true);
    const facts = [game.date, game.event, game.opening, game.lost ? t("lost-both", { black: game.lost[0].toFixed(0), white: game.lost[1].toFixed(0) }) : ""];
    open.append(make("bdi", "names", names), make("b", "result", result), make("span", "quiet", facts.filter(Boolean).join(" \u00b7 ")));
    const rename = button(t("rename"), "", () => this.rename(game));
    const remove = button(t("delete"), "", () => this.remove(game));
    rename.setAttribute("aria-label", labeled(t("rename"), names));
    remove.setAttribute("aria-label", labeled(t("delete"), names));
    return make("li", "", open, rename, remove);
  }

  /** Opens a game of the library for study. */
  async open(/** @type {any} */ game) {
    try {
      const { games, errors } = await this.app.engine.call("games", { text: game.ggf });
      if (!games[0]) throw new Error(errors[0]);
      const tree = new Tree(games[0]);
      tree.id = game.id;
      Object.assign(tree.facts, { black: game.black, white: game.white });
      this.app.recallAnswers(tree);
      this.app.load(tree);
      location.hash = "#study";
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }

  async rename(/** @type {any} */ game) {
    const input = (/** @type {string} */ value) => {
      const made = make("input");
      made.value = value;
      return made;
    };
    const [black, white] = [input(game.black), input(game.white)];
    const content = make("div", "", make("h2", "", t("rename")), make("div", "fields", field(t("black"), black), field(t("white"), white)));
    if (await ask(content, [["save", t("save")], ["", t("cancel")]]) !== "save") return;
    const { games } = await this.app.engine.call("games", { text: game.ggf });
    const tree = new Tree(games[0]);
    Object.assign(tree.facts, { black: black.value.trim(), white: white.value.trim() });
    tree.ggf = undefined;
    const renamed = { ...game, ...tree.facts, ggf: tree.write() };
    await this.app.store.put("games", renamed).catch(() => say(t("not-kept")));
    if (this.app.tree.id === game.id) {
      Object.assign(this.app.tree.facts, tree.facts);
      this.app.tree.ggf = undefined;
    }
    this.draw();
  }

  async remove(/** @type {any} */ game) {
    await this.app.store.remove("games", game.id);
    this.draw();
    say(t("deleted"), [t("undo"), async () => {
      await this.app.store.put("games", game);
      this.draw();
    }]);
  }

  exportAll() {
    const games = this.app.store.all("games").sort((a, b) => a.added - b.added);
    save("emilia-games.ggf", games.map(({ ggf }) => `${ggf.trim()}\n`).join(""));
  }
}
