// Library: every game that was opened or played here. Only the user deletes one.
import { ask, button, field, fill, get, make, save, say, select } from "./dom.js";
import { discs, labeled, openingName, t, title } from "./text.js";
import { Tree, forBlack } from "./tree.js";

/** The height of a row and the rows beyond the window that are drawn. */
const ROW = 72;
const BEYOND = 8;

/** Discs that each side lost in the moves of a report. */
export function losses(/** @type {any[]} */ answers) {
  const sums = [0, 0];
  for (const { position, played } of answers) if (played?.loss) sums[position.endsWith("X") ? 0 : 1] += played.loss;
  return sums;
}

const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

/** The fuller of two answers to the same position, with the chances that people find its moves. @param {any} one the newer answer @param {any} other */
function fuller(one, other) {
  const rank = (/** @type {any} */ each) => (each.exact ? 1e6 : 0) + 1000 * (each.depth ?? 0) + (each.selectivity ?? 0) + (each.level ?? 0) / 1000;
  if (rank(one) >= rank(other)) return one;
  if (!one.rating || one.rating === other.rating) return other;
  const chances = new Map(one.moves.map((/** @type {any} */ each) => [each.move, each.find_chance]));
  const found = (/** @type {any} */ each) => each && { ...each, find_chance: chances.get(each.move) ?? each.find_chance };
  return { ...other, rating: one.rating, moves: other.moves.map(found), played: found(other.played) };
}

/** The answers of two reports: of each position the fuller one. @param {any[]} older @param {any[]} newer @returns {any[]} */
export function merged(older, newer) {
  const all = new Map(older.map((answer) => [answer.turn, answer]));
  for (const answer of newer) {
    const known = all.get(answer.turn);
    all.set(answer.turn, known && known.position === answer.position ? fuller(answer, known) : answer);
  }
  return [...all.values()].sort((a, b) => a.turn - b.turn);
}

/** The answers that still belong to the main line of a game. @param {any[]} answers @param {Tree} tree @returns {any[]} */
export function fitting(answers, tree) {
  const main = tree.main();
  return answers.filter(({ turn, position, played }) => {
    const next = main[turn + 1]?.move;
    return main[turn]?.board === position.slice(0, 64) && (next === "--" || (played?.move ?? "") === (next ?? ""));
  });
}

/** How a game of the library ended, as Black's discs less White's, or who won. @param {any} game */
function resultOf(game) {
  if (game.ended) return t("won-by", { side: title(game.ended.winner), how: t(`ended-${game.ended.how}`) });
  return game.result === undefined ? "" : discs(game.result, true);
}

export class Library {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.host = get("page-library");
    this.search = "";
    this.kind = "all";
    /** What is kept one after another. @type {Promise<unknown>} */
    this.queue = Promise.resolve();
    /** @type {Set<string>} */
    this.chosen = new Set();
    /** The rows on the page. @type {Map<string, HTMLElement>} */
    this.rows = new Map();
    /** @type {any[]} */
    this.found = [];
    /** The games with a board, by id: the next move. @type {Map<string, any> | undefined} */
    this.reached = undefined;
    addEventListener("scroll", () => this.app.view === "library" && this.drawRows(), { passive: true });
    addEventListener("resize", () => this.app.view === "library" && this.drawRows());
  }

  /** What the library keeps of a game. @param {Tree} tree @param {any} extra */
  entry(tree, extra) {
    const old = this.app.store.get("games", /** @type {string} */ (tree.id));
    const end = tree.end();
    const ggf = tree.write();
    const answers = old?.answers && fitting(old.answers, tree);
    const entry = {
      origin: "study", ...old, added: old?.added ?? Date.now(), answers: answers?.length > 0 ? answers : undefined, lost: undefined, ...extra, id: tree.id, rev: tree.rev, edited: Date.now(), deleted: undefined,
      ggf, sgf: tree.hasLines() ? tree.sgf() : undefined, ply: tree.tip ? tree.main().length - 1 : undefined, line: tree.line(),
      ...tree.facts, ended: tree.facts.ended, seats: tree.facts.seats,
      moves: tree.main().filter(({ move }) => move && move !== "--").length,
      result: end.side === "" ? forBlack(end) : undefined, opening: end.opening,
    };
    if (entry.answers) entry.lost = losses(entry.answers);
    return entry;
  }

  /**
   * Keeps a game as it is now. A game that another tab changed meanwhile stays, and this one becomes a game of its own.
   * @param {Tree} tree
   * @param {any} [extra]
   */
  keep(tree, extra = {}) {
    if (!tree.isWorthKeeping()) return this.queue;
    tree.id ??= newId();
    tree.isChanged = true;
    const number = (tree.asked += 1);
    // A reload may come before the browser has written it.
    this.app.remember();
    this.queue = this.queue.then(async () => {
      const entry = this.entry(tree, extra);
      tree.isChanged = false;
      const newer = await this.app.store.keep(entry);
      if (newer) {
        tree.id = newId();
        tree.rev = 0;
        await this.app.store.keep({ ...entry, id: tree.id, rev: 0, added: Date.now() });
        say(t("kept-apart"));
      }
      tree.rev += 1;
      tree.written = number;
      this.app.remember();
      if (this.app.view === "library") this.draw();
    }).catch((error) => say(String(error)));
    return this.queue;
  }

  /** The game of the library with the same moves and names. @param {any} game of the engine's `games` */
  known(game) {
    const facts = ["black", "white", "date"];
    return this.app.store.all("games").find((each) => each.ggf === game.ggf && !each.seats && facts.every((name) => (each[name] ?? "") === (game[name] ?? "")));
  }

  /** Keeps many games of a file. @param {any[]} games */
  async keepAll(games) {
    const known = new Set(this.app.store.all("games").map((each) => each.ggf));
    const fresh = games.filter((game) => !known.has(game.ggf));
    const entries = fresh.map((game, place) => ({
      id: newId() + place, rev: 1, added: Date.now() + place, edited: Date.now(), origin: "open", ggf: game.ggf, sgf: game.sgf,
      black: game.black ?? "", white: game.white ?? "", date: game.date ?? "", event: game.event ?? "", result: game.result,
      ended: game.winner ? { how: "stated", winner: game.winner } : undefined, opening: game.opening ?? "", line: game.start ? "" : game.moves,
      moves: game.moves.replaceAll("--", "").length / 2,
    }));
    await this.app.store.put("games", ...entries);
  }

  /** The tree of a game of the library. @param {any} known @returns {Promise<Tree>} */
  async read(known) {
    const { games, errors } = await this.app.engine.call("games", { text: known.sgf ?? known.ggf });
    if (!games[0]) throw new Error(errors[0]?.message);
    const tree = new Tree(games[0]);
    const { black, white, date, event, seats, ended } = known;
    Object.assign(tree.facts, { black, white, date: date ?? "", event: event ?? "", seats, ended: ended ?? tree.facts.ended });
    tree.id = known.id;
    tree.rev = known.rev ?? 0;
    const main = tree.main();
    if (known.ply !== undefined) tree.fix(main[known.ply]);
    else if (known.origin !== "study" || tree.end().side === "") tree.fix();
    tree.ggf = known.ggf;
    this.app.recallAnswers(tree, known);
    return tree;
  }

  /** A game as it is now, while the browser has not written it; without its report. @param {Tree} tree */
  unwritten(tree) {
    const isWritten = tree.asked === tree.written && !this.app.store.unsaved.has(tree.id ?? "");
    return isWritten || !tree.id ? undefined : { ...this.entry(tree, {}), answers: undefined };
  }

  /** Keeps a game that the browser had not written when the page was left; a newer one of another tab stays. @param {any} entry */
  async regain(entry) {
    const known = entry && this.app.store.get("games", entry.id);
    const isSame = known && known.ggf === entry.ggf && known.sgf === entry.sgf;
    if (!entry || isSame) return;
    const isNewer = known && (known.rev ?? 0) > entry.rev;
    const apart = { ...entry, id: newId(), rev: 1 };
    await this.app.store.put("games", isNewer ? apart : { ...known, ...entry, answers: known?.answers, rev: entry.rev + 1 });
  }

  /** Takes over what earlier versions of this page kept: the game of the last visit. @param {(key: string) => string} recall */
  async takeOver(recall) {
    const kept = recall("emilia.game");
    if (!kept) return;
    try {
      const { ggf, id } = JSON.parse(kept);
      const { games } = await this.app.engine.call("games", { text: ggf });
      const known = id ? this.app.store.get("games", id) : undefined;
      if (games[0]?.moves && known?.ggf !== ggf) {
        const tree = new Tree(games[0]);
        await this.keep(tree, { origin: "open" });
        if (this.app.boards.study.tree.root.children.length === 0) this.app.boards.study = { tree, place: tree.end() };
      }
      localStorage.removeItem("emilia.game");
      localStorage.removeItem("emilia.playing");
    } catch (error) {
      say(String(error));
    }
  }

  enter() {
    const search = make("input");
    search.type = "search";
    search.id = "library-search";
    search.value = this.search;
    search.addEventListener("input", () => {
      this.search = search.value;
      this.draw();
    });
    /** @type {[string, string][]} */
    const kinds = ["all", "black", "white", "drawn", "open", "reported"].map((kind) => [kind, t(`kind-${kind}`)]);
    const kind = select("library-kind", kinds, this.kind, (value) => {
      this.kind = value;
      this.draw();
    });
    this.list = make("ul", "library");
    this.sum = make("p", "quiet sum", "");
    this.sum.setAttribute("role", "status");
    this.next = make("p", "next-moves");
    this.tools = make("div", "row-buttons library-tools");
    const head = make("div", "library-head", make("h2", "", t("library")), field(t("search"), search), field(t("result"), kind));
    fill(this.host, make("section", "card", head, this.tools, this.sum, this.next, this.list), /** @type {any} */ (this.app.views.stats).card());
    this.rows.clear();
  }

  leave() {
    this.reached = undefined;
  }

  draw() {
    if (!this.list) return;
    const all = this.app.store.all("games").sort((a, b) => b.added - a.added);
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (/** @type {any} */ game) => [game.black, game.white, game.date, game.event, game.opening, openingName(game.opening ?? ""), resultOf(game)].join(" ").toLowerCase();
    const side = (/** @type {any} */ game) => game.ended?.winner ?? (game.result > 0 ? "black" : game.result < 0 ? "white" : game.result === 0 ? "drawn" : "open");
    const isKind = (/** @type {any} */ game) => this.kind === "all" || (this.kind === "reported" ? Boolean(game.answers) : side(game) === this.kind);
    this.found = all.filter((game) => isKind(game) && (!this.reached || this.reached.has(game.id)) && (words.length === 0 || words.every((word) => text(game).includes(word))));
    for (const id of this.chosen) if (!this.app.store.get("games", id) || this.app.store.get("games", id).deleted) this.chosen.delete(id);
    this.sum.textContent = all.length === 0 ? t("library-empty") : t("games-found", { found: this.found.length, all: all.length });
    this.drawTools();
    this.drawNext();
    this.rows.clear();
    this.drawRows();
    /** @type {any} */ (this.app.views.stats).draw();
  }

  drawTools() {
    const chosen = this.found.filter(({ id }) => this.chosen.has(id));
    const some = chosen.length > 0 ? chosen : this.found;
    const everyone = make("input");
    everyone.type = "checkbox";
    everyone.checked = chosen.length > 0 && chosen.length === this.found.length;
    everyone.addEventListener("change", () => {
      this.chosen = new Set(everyone.checked ? this.found.map(({ id }) => id) : []);
      this.draw();
    });
    const by = button(t(this.reached ? "any-board" : "by-board"), "", () => this.findBoard());
    const parts = [make("label", "check", everyone, ` ${t("choose-all")}`), by,
      button(t("export-some", { count: some.length }), "", () => this.export(some))];
    if (chosen.length > 0) {
      parts.push(button(t("report-some", { count: chosen.length }), "", () => /** @type {any} */ (this.app.views.report).startMany(chosen)),
        button(t("delete-some", { count: chosen.length }), "", () => this.remove(chosen)));
    }
    fill(this.tools, ...parts);
  }

  /** The next moves in the games that reached the board. */
  drawNext() {
    this.next.replaceChildren();
    if (!this.reached) return;
    /** @type {Map<string, [number, number, number]>} */
    const moves = new Map();
    for (const game of this.found) {
      const { move } = this.reached.get(game.id);
      if (!move || game.result === undefined) continue;
      const counts = moves.get(move) ?? [0, 0, 0];
      counts[game.result > 0 ? 0 : game.result < 0 ? 2 : 1] += 1;
      moves.set(move, counts);
    }
    const sum = (/** @type {number[]} */ counts) => counts.reduce((a, b) => a + b, 0);
    const sorted = [...moves].sort(([, a], [, b]) => sum(b) - sum(a));
    this.next.textContent = sorted.map(([move, [won, drawn, lost]]) => `${labeled(move, t("black-results", { won, drawn, lost }))}`).join("; ");
  }

  /** Draws the rows in and near the window; the others are room above and below. */
  drawRows() {
    const top = this.list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / ROW) - BEYOND);
    const last = Math.min(this.found.length, Math.ceil((innerHeight - top) / ROW) + BEYOND);
    const wanted = this.found.slice(first, Math.max(first, last));
    const focused = document.activeElement?.closest(".library li");
    /** @type {Map<string, HTMLElement>} */
    const rows = new Map();
    wanted.forEach((game, at) => {
      const row = this.rows.get(game.id) ?? this.row(game);
      row.setAttribute("aria-posinset", String(first + at + 1));
      row.setAttribute("aria-setsize", String(this.found.length));
      rows.set(game.id, row);
    });
    const isSame = rows.size === this.rows.size && [...rows.keys()].every((id) => this.rows.has(id)) && this.list.childElementCount === rows.size;
    this.list.style.paddingTop = `${first * ROW}px`;
    this.list.style.paddingBottom = `${Math.max(0, this.found.length - first - wanted.length) * ROW}px`;
    this.rows = rows;
    if (isSame) return;
    const at = focused ? [...focused.querySelectorAll("button, input")].indexOf(/** @type {any} */ (document.activeElement)) : -1;
    const id = /** @type {any} */ (focused)?.dataset.id;
    this.list.replaceChildren(...rows.values());
    if (at >= 0) /** @type {any} */ (rows.get(id)?.querySelectorAll("button, input")[at])?.focus({ preventScroll: true });
  }

  row(/** @type {any} */ game) {
    const names = `${game.black || t("black")} \u2013 ${game.white || t("white")}`;
    const moves = game.moves > 0 ? t("moves-count", { count: game.moves }) : t("a-position");
    const facts = [game.date, game.event, openingName(game.opening ?? ""), moves,
      game.lost ? t("lost-both", { black: discs(game.lost[0]).replace(/^\+/, ""), white: discs(game.lost[1]).replace(/^\+/, "") }) : ""].filter(Boolean);
    const open = button("", "game", () => this.open(game));
    open.append(make("span", "names", names), make("span", "result", resultOf(game)), make("span", "quiet", facts.join(" \u00b7 ")));
    const choice = make("input");
    choice.type = "checkbox";
    choice.checked = this.chosen.has(game.id);
    choice.setAttribute("aria-label", labeled(t("choose"), names));
    choice.addEventListener("change", () => {
      if (choice.checked) this.chosen.add(game.id);
      else this.chosen.delete(game.id);
      this.drawTools();
    });
    const rename = button(t("rename"), "", () => this.rename(game));
    const remove = button(t("delete"), "", () => this.remove([game]));
    rename.setAttribute("aria-label", labeled(t("rename"), names));
    remove.setAttribute("aria-label", labeled(t("delete"), names));
    const row = make("li", "", choice, open, rename, remove);
    row.dataset.id = game.id;
    return row;
  }

  /** A game of the library for Study: the one on a board if it is there; of a game that runs a copy. @param {any} game @returns {Promise<Tree>} */
  async forStudy(game) {
    await this.queue;
    const { play, study } = this.app.boards;
    if (study.tree.id === game.id) return study.tree;
    if (play.tree.id === game.id) return this.app.player.active ? play.tree.runningCopy() : play.tree;
    return this.read(this.app.store.get("games", game.id) ?? game);
  }

  /** Opens a game of the library for study. @param {any} game */
  async open(game) {
    try {
      const tree = await this.forStudy(game);
      const next = this.reached?.get(game.id);
      this.app.study(tree, next ? tree.main()[next.ply] : tree.root);
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
    const names = { black: black.value.trim(), white: white.value.trim() };
    const shown = Object.values(this.app.boards).find(({ tree }) => tree.id === game.id)?.tree;
    const tree = shown ?? await this.read(this.app.store.get("games", game.id));
    Object.assign(tree.facts, names);
    tree.ggf = undefined;
    await this.keep(tree);
    this.draw();
  }

  /** Deletes games; they can be brought back. @param {any[]} games */
  async remove(games) {
    const marked = (/** @type {number | undefined} */ deleted) => games.map(({ id }) => {
      const known = this.app.store.get("games", id);
      return { ...known, deleted, rev: (known.rev ?? 0) + 1 };
    });
    const shown = Object.values(this.app.boards).map(({ tree }) => tree);
    const write = async (/** @type {any[]} */ entries) => {
      await this.queue;
      await this.app.store.put("games", ...entries);
      for (const tree of shown) tree.rev = this.app.store.get("games", tree.id ?? "")?.rev ?? tree.rev;
      this.draw();
    };
    await write(marked(Date.now()));
    this.app.canUndo(t("deleted", { count: games.length }), () => write(marked(undefined)));
  }

  /** Searches the games that reached the board of Study. */
  async findBoard() {
    if (this.reached) {
      this.reached = undefined;
      this.draw();
      return;
    }
    const { board, side } = this.app.boards.study.place;
    const all = this.app.store.all("games");
    const asked = { text: `${board} ${side === "white" ? "O" : "X"}`, lines: all.map(({ line, ggf }) => line ?? (ggf.match(/[BW]\[(?:[A-H][1-8]|PA)/g) ?? []).map((/** @type {string} */ each) => each.slice(2).toLowerCase()).join("")) };
    const { games } = await this.app.engine.call("find", asked);
    this.reached = new Map(games.map((/** @type {any} */ [index, ply, move]) => [all[index].id, { ply, move }]));
    this.draw();
  }

  /** Games as a file, in the notation that the user chooses. @param {any[]} games */
  async export(games) {
    const content = make("div", "", make("h2", "", t("export-some", { count: games.length })), make("p", "quiet", t("export-help")));
    const format = await ask(content, [["sgf", "SGF"], ["ggf", "GGF"], ["pgn", "PGN"], ["", t("cancel")]]);
    if (!format) return;
    try {
      save(`emilia-games.${format}`, await this.text(games.slice().sort((a, b) => a.added - b.added), format));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }

  /** The games in a notation; SGF has the side lines and comments. @param {any[]} games @param {string} format */
  async text(games, format) {
    const ggf = (/** @type {any[]} */ some) => some.map((game) => `${game.ggf.trim()}\n`).join("");
    if (format === "ggf") return ggf(games);
    const plain = games.filter(({ sgf }) => format !== "sgf" || !sgf);
    const { text } = plain.length > 0 ? await this.app.engine.call("write", { text: ggf(plain), format }) : { text: "" };
    return text + games.filter((game) => !plain.includes(game)).map(({ sgf }) => `${sgf.trim()}\n`).join("");
  }

  /** All games as a file, for a browser that keeps nothing. */
  async rescue() {
    save("emilia-games.sgf", await this.text(this.app.store.all("games"), "sgf").catch(() => this.text(this.app.store.all("games"), "ggf")));
  }
}
