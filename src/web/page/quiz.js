// Quiz: mistakes of the user's games and lines of the book, asked again after growing times.
import { button, field, get, make, save, say, select } from "./dom.js";
import { set, settings } from "./settings.js";
import { discs, labeled, openingName, openings, spoken, t, title } from "./text.js";
import { squareValues } from "./study.js";
import { Tree, grade, key, lossOf } from "./tree.js";

/** Days after which a card comes again, by right answers in a row. */
const DAYS = [1, 3, 7, 16, 35];
const DAY = 24 * 3600 * 1000;
/** New cards of a session. */
const NEW = 10;
/** A move that loses less is right, in discs. */
const RIGHT = 0.75;
/** Strength of the search for the value of a move outside the book. */
const LEVEL = 12;

/**
 * The probability that a player of the rating of the report plays a move that loses at most half of the mistake, as in the program's
 * report; 0 for answers without a rating.
 * @param {any} card
 */
export function avoided({ moves, played }) {
  const score = (/** @type {any} */ each) => each?.score ?? NaN;
  const best = score(moves[0]);
  const loss = best - score(moves.find((/** @type {any} */ each) => each.move === played));
  const better = moves.filter((/** @type {any} */ each) => best - score(each) <= loss / 2);
  return better.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + (each.find_chance ?? 0), 0);
}

/** When a card is due that was answered now; days begin at four in the morning. */
export function dueAfter(/** @type {number} */ days, now = Date.now()) {
  const day = new Date(now + days * DAY);
  day.setHours(4, 0, 0, 0);
  return day.getTime();
}

/** The state of a card after an answer. @param {any} card */
export function answered(card, isRight = true, now = Date.now()) {
  const box = isRight ? Math.min((card.box ?? -1) + 1, DAYS.length - 1) : -1;
  const days = isRight ? DAYS[box] : 1;
  const counts = { right: (card.right ?? 0) + (isRight ? 1 : 0), wrong: (card.wrong ?? 0) + (isRight ? 0 : 1) };
  return { ...card, ...counts, box, days, due: dueAfter(days, now), seen: now };
}

export class Quiz {
  /** @param {import("./app.js").App} app @param {import("./desk.js").Desk} desk */
  constructor(app, desk) {
    this.app = app;
    this.desk = desk;
    this.panel = get("panel-quiz");
    /** @type {any[]} */
    this.queue = [];
    /** @type {any} */
    this.card = undefined;
    /** What the user answered. @type {any} */
    this.reply = undefined;
    this.score = [0, 0];
    /** The opening that is drilled; all if it is empty. */
    this.opening = "";
  }

  enter() {
    if (!this.card) this.score = [0, 0];
    this.collect();
    this.draw();
  }

  /** The cards of mistakes in the library; those that are there keep their state. */
  collect() {
    const cards = new Map(this.app.store.all("cards").map((card) => [card.id, card]));
    const wanted = settings.quizPlayer.trim().toLowerCase();
    const fresh = [];
    for (const game of this.app.store.all("games")) {
      for (const { position, played, moves, empties } of game.answers ?? []) {
        const name = position.endsWith("X") ? game.black : game.white;
        const side = position.endsWith("X") ? "black" : "white";
        const isOwn = wanted ? name.toLowerCase().includes(wanted) : !game.seats || game.seats[side] === "you";
        if (!(played?.loss >= settings.quizDiscs) || !isOwn || cards.has(position)) continue;
        const from = `${game.black || t("black")} \u2013 ${game.white || t("white")}`;
        const card = { id: position, kind: "mistake", from, number: 61 - empties, played: played.move, why: played.why, moves, language: game.language, opening: game.opening };
        cards.set(position, card);
        fresh.push(card);
      }
    }
    if (fresh.length > 0) this.app.store.put("cards", ...fresh).catch((error) => say(String(error)));
  }

  /** Cards whose day has come, and new ones. */
  counts() {
    const all = this.app.store.all("cards");
    const now = Date.now();
    return {
      due: all.filter(({ due }) => due !== undefined && due <= now),
      fresh: all.filter(({ due }) => due === undefined),
      all,
    };
  }

  /** Whether a card belongs to the opening that is drilled, or to a continuation of it. @param {any} card */
  fits(card) {
    return !this.opening || (card.opening ?? card.from).startsWith(this.opening);
  }

  /** Asks positions of one opening. @param {string} opening */
  async drill(opening) {
    this.opening = opening;
    await this.begin();
  }

  async begin() {
    // An opening without questions gets those of the book.
    const lacks = () => [...this.counts().due, ...this.counts().fresh].filter((card) => this.fits(card)).length === 0;
    if (this.opening && lacks()) await this.fromBook();
    const { due, fresh } = this.counts();
    const mixed = (/** @type {any[]} */ cards) => cards.map((card) => [Math.random(), card]).sort(([a], [b]) => a - b).map(([, card]) => card);
    // First the mistakes that most players avoid.
    const easiest = mixed(fresh).sort((a, b) => avoided(b) - avoided(a));
    this.queue = [...mixed(due), ...easiest].filter((card) => this.fits(card)).slice(0, due.length + NEW);
    this.score = [0, 0];
    this.next();
  }

  next() {
    this.card = this.queue.shift();
    this.reply = undefined;
    if (this.card) {
      const [board, mark] = this.card.id.split(" ");
      const legal = this.card.legal ?? this.card.moves.map((/** @type {any} */ each) => each.move);
      const side = mark === "X" ? "black" : "white";
      this.card.place = new Tree({ positions: [{ board, side, legal }] }).root;
    }
    this.draw();
  }

  /** Takes lines of the book in as cards: random ways through it, from the opening that is chosen. */
  async fromBook() {
    const { engine, store } = this.app;
    const { opening } = this;
    const from = opening ? await Tree.opening(opening, engine) : Tree.start();
    const made = [];
    for (let tries = 0; tries < 60 && made.length < NEW; tries += 1) {
      const tree = from.copy();
      let at = tree.end();
      const depth = (opening ? 0 : 3) + Math.floor(Math.random() * 8);
      for (let moves = 0; moves < depth && at.side; moves += 1) {
        const known = (await engine.call("book", { text: key(at) })).moves.slice(0, 4);
        if (known.length === 0) break;
        at = await tree.play(at, known[Math.floor(Math.random() * known.length)].move, engine);
      }
      const { moves } = await engine.call("book", { text: key(at) });
      const scored = moves.filter((/** @type {any} */ each) => each.score !== undefined)
        .sort((/** @type {any} */ a, /** @type {any} */ b) => b.score - a.score);
      const id = key(at);
      if (scored.length === 0 || !at.parent || store.get("cards", id) || made.some((card) => card.id === id)) continue;
      made.push({ id, kind: "book", from: at.opening || t("book"), opening: opening || at.opening, number: at.number, legal: at.legal, moves: scored });
    }
    await store.put("cards", ...made).catch((error) => say(String(error)));
    say(t("cards-added", { count: made.length }));
    this.draw();
  }

  async press(/** @type {string} */ square) {
    const { card } = this;
    if (!card || this.reply || !card.place.legal.includes(square)) return;
    this.reply = { square };
    let { moves } = card;
    if (!moves.some((/** @type {any} */ each) => each.move === square)) {
      this.draw();
      const request = { position: card.id, best_moves: "all", level: LEVEL, why: spoken() };
      await this.app.engine.analyze(request, (answer) => { if (!answer.partial) moves = answer.moves; }).done.catch((error) => say(error.message));
    }
    if (this.card !== card) return;
    card.place.answer = { moves, depth: 0 };
    const loss = lossOf(card.place, square) ?? 0;
    const isRight = loss < RIGHT;
    this.reply = { square, loss, isRight };
    this.score[isRight ? 0 : 1] += 1;
    const { place, ...kept } = answered({ ...card, moves });
    const state = isRight ? kept : answered({ ...card, moves, place: undefined }, false);
    delete state.place;
    this.reply.days = state.days;
    await this.app.store.put("cards", state).catch((error) => say(String(error)));
    this.draw();
  }

  key(/** @type {KeyboardEvent} */ event) {
    if ((event.key === "Enter" || event.key === "n") && this.reply?.days) this.next();
    else return false;
    return true;
  }

  draw() {
    if (this.app.view !== "quiz") return;
    const { card, reply } = this;
    const place = card?.place ?? Tree.start().root;
    const isOpen = card !== undefined && reply?.days === undefined;
    /** @type {Map<string, string>} */
    const marks = new Map(reply ? [[reply.square, reply.isRight === false ? "wrong" : "chosen"]] : []);
    this.desk.draw({
      place, marks, steps: false, still: !isOpen, legal: card ? place.legal : [],
      values: reply?.days ? squareValues(place) : undefined,
      status: card ? t("to-move", { side: title(place.side) }) : t("quiz"),
    });
    this.panel.replaceChildren(card ? this.question(card, reply) : this.overview(), this.sources());
  }

  /** The card that is asked, and what the answer was worth. @param {any} card @param {any} reply */
  question(card, reply) {
    const side = title(card.place.side);
    const box = make("section", "card question", make("h2", "", t("find-move", { side })),
      make("p", "quiet", `${openingName(card.from)}, ${t("move-number", { number: card.number })}`));
    const said = make("div", "feedback");
    said.setAttribute("aria-live", "polite");
    if (reply?.days) {
      const best = card.place.answer.moves[0];
      said.append(make("p", reply.isRight ? "right" : grade(reply.loss), reply.isRight
        ? t("quiz-right", { move: reply.square })
        : t("quiz-wrong", { move: reply.square, discs: discs(reply.loss).slice(1), best: best.move })));
      const why = best.why?.length ? labeled(best.move, best.why.join(" ")) : "";
      const played = card.played && card.why?.length ? labeled(card.played, card.why.join(" ")) : "";
      if (card.played) said.append(make("p", "quiet", t("game-played", { move: card.played })));
      for (const about of [played, why].filter(Boolean)) {
        const reason = make("p", "", about);
        reason.lang = card.language ?? spoken();
        said.append(reason);
      }
      said.append(make("p", "quiet", t(reply.days === 1 ? "again-tomorrow" : "again-in", { days: reply.days })));
    } else {
      said.append(make("p", "quiet", t(reply ? "searching" : "quiz-ask")));
    }
    const row = make("div", "row-buttons");
    if (reply?.days) {
      row.append(button(t(this.queue.length > 0 ? "next-card" : "finish"), "main", () => this.next()),
        button(t("study-it"), "", () => this.study(card)));
    } else {
      row.append(button(t("stop"), "", () => {
        this.card = undefined;
        this.draw();
      }));
    }
    box.append(said, row, make("p", "quiet", t("quiz-score", { right: this.score[0], wrong: this.score[1], left: this.queue.length })));
    return box;
  }

  /** Opens the position of a card for study. */
  study(/** @type {any} */ card) {
    const { board, side, legal } = card.place;
    const tree = new Tree({ positions: [{ board, side, legal }] });
    tree.isChanged = true;
    this.app.study(tree);
  }

  overview() {
    const { due, fresh, all } = this.counts();
    const box = make("section", "card", make("h2", "", t("quiz")));
    if (this.score[0] + this.score[1] > 0) box.append(make("p", "", t("quiz-done", { right: this.score[0], wrong: this.score[1] })));
    box.append(make("p", "", t("quiz-counts", { due: due.length, fresh: fresh.length, all: all.length })));
    if (all.length === 0) box.append(make("p", "quiet", t("quiz-empty")));
    const start = button(t("quiz-start"), "main", () => this.begin());
    start.disabled = !this.opening && due.length + fresh.length === 0;
    /** @type {[string, string][]} */
    const names = [["", t("all-openings")], ...openings()];
    box.append(field(t("opening"), select("quiz-opening", names, this.opening, (value) => {
      this.opening = value;
      this.draw();
    })));
    box.append(make("div", "row-buttons", start));
    return box;
  }

  /** Where cards come from, and files of them. */
  sources() {
    const player = make("input");
    player.value = settings.quizPlayer;
    player.id = "quiz-player";
    player.addEventListener("change", () => {
      set("quizPlayer", player.value);
      this.collect();
      this.draw();
    });
    /** @type {[string, string][]} */
    const limits = [2, 3, 4, 6, 8, 10].map((limit) => [String(limit), t("lesson-from", { discs: limit })]);
    const limit = select("quiz-discs", limits, String(settings.quizDiscs), (value) => {
      set("quizDiscs", Number(value));
      this.collect();
      this.draw();
    });
    const file = make("input", "unseen");
    file.type = "file";
    file.accept = ".json";
    file.id = "quiz-file";
    file.tabIndex = -1;
    file.setAttribute("aria-label", t("import"));
    file.addEventListener("change", async () => this.import(await file.files[0].text()));
    const box = make("details", "card sources", make("summary", "", make("h2", "", t("quiz-sources"))),
      make("div", "fields", field(t("quiz-player"), player), field(t("quiz-discs"), limit)),
      make("div", "row-buttons", button(t("quiz-from-book"), "", () => this.fromBook()),
        button(t("export"), "", () => this.export()), button(t("import"), "", () => file.click()), file));
    box.open = this.isOpen ?? this.app.store.all("cards").length === 0;
    box.addEventListener("toggle", () => { this.isOpen = box.open; });
    return box;
  }

  export() {
    save("emilia-quiz.json", JSON.stringify({ emilia_quiz: 1, cards: this.app.store.all("cards") }), "application/json");
  }

  /** Takes cards of a file in; of a card that is here too, the one seen last stays. */
  async import(/** @type {string} */ text) {
    let cards;
    try {
      ({ cards } = JSON.parse(text));
    } catch {
      cards = undefined;
    }
    const isCard = (/** @type {any} */ card) => /^[XO-]{64} [XO]$/.test(card?.id) && Array.isArray(card.moves) &&
      card.moves.every((/** @type {any} */ each) => /^[a-h][1-8]$/.test(each?.move));
    if (!Array.isArray(cards) || !cards.every(isCard)) {
      say(t("quiz-no-file"));
      return;
    }
    const isNew = (/** @type {any} */ card) => {
      const known = this.app.store.get("cards", card.id);
      return !known || (card.seen ?? 0) > (known.seen ?? 0);
    };
    const newer = cards.filter(isNew);
    await this.app.store.put("cards", ...newer).catch((error) => say(String(error)));
    say(t("cards-added", { count: newer.length }));
    this.draw();
  }
}
