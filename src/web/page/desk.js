// The board with what belongs to it: the players, the gauge of the chances, a line of status, buttons to step.
import { Board } from "./board.js";
import { button, get, make, stone } from "./dom.js";
import { percent, t, title } from "./text.js";
import { count } from "./tree.js";

export class Desk {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.board = new Board(get("othello"), (square) => app.current?.press?.(square));
    /** @type {[string, string, () => void][]} */
    const steps = [
      ["M18 6l-6 6 6 6M8 6v12", "first", () => app.first()],
      ["M15 6l-6 6 6 6", "back", () => app.step(-1)],
      ["M9 6l6 6-6 6", "next", () => app.step(1)],
      ["M6 6l6 6-6 6M16 6v12", "last", () => app.last()],
    ];
    for (const [path, id, act] of steps) {
      const made = button("", "step", act);
      made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
      made.id = `step-${id}`;
      made.dataset.label = `step-${id}`;
      get("steps").append(made);
    }
  }

  /**
   * @param {Partial<import("./board.js").Scene> & { names?: string[], clocks?: string[], status?: string, chance?: number, steps?: boolean,
   *   place?: import("./tree.js").Place }} scene
   */
  draw(scene) {
    const place = scene.place ?? this.app.place;
    const { board, side, legal, move } = place;
    this.board.draw({ board, side, legal, last: move, ...scene });
    this.seats(place, scene.names ?? ["", ""], scene.clocks ?? []);
    get("status").textContent = scene.status ?? "";
    const gauge = get("gauge");
    gauge.hidden = scene.chance === undefined;
    document.body.classList.toggle("gauged", !gauge.hidden);
    if (scene.chance !== undefined) {
      const known = scene.chance >= 0;
      gauge.classList.toggle("unknown", !known);
      gauge.firstElementChild.style.setProperty("--share", `${known ? 100 * scene.chance : 50}%`);
      gauge.setAttribute("aria-label", t("chance-black", { chance: known ? percent(scene.chance) : "?" }));
    }
    get("steps").hidden = scene.steps === false;
    get("step-first").disabled = get("step-back").disabled = !place.parent;
    get("step-last").disabled = get("step-next").disabled = place.children.length === 0 || place === this.app.tree.tip;
  }

  /** @param {import("./tree.js").Place} place @param {string[]} names @param {string[]} clocks */
  seats(place, names, clocks) {
    const seat = (/** @type {string} */ side, /** @type {string} */ disc, /** @type {string} */ name, /** @type {string} */ clock) => {
      const made = make("div", `seat ${side === place.side ? "turn" : ""}`, stone(side), make("bdi", "name", name || title(side)),
        make("b", "", String(count(place.board, disc))));
      if (clock) made.insertBefore(make("span", "clock", clock), made.lastChild);
      if (side === place.side) made.append(make("span", "unseen", t("to-move", { side: title(side) })));
      return made;
    };
    get("seats").replaceChildren(seat("black", "X", names[0], clocks[0]), seat("white", "O", names[1], clocks[1]));
  }
}

/** The end of a game in words. */
export function ending(/** @type {import("./tree.js").Place} */ place) {
  const [black, white] = [count(place.board, "X"), count(place.board, "O")];
  const empty = 64 - black - white;
  if (black === white) return t("drawn");
  const side = title(black > white ? "black" : "white");
  return t("wins-by", { side, discs: Math.abs(black - white) + empty });
}
