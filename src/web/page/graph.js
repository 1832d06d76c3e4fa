// The graph of a game's scores: Black's lead upwards, with a mark on every move that lost discs. The report has the same.
import { make } from "./dom.js";
import { discs, t } from "./text.js";
import { forBlack, grade, lossOf } from "./tree.js";

/** @param {[number, number][]} points */
const corners = (points) => points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");

/** The points with those where the line crosses the middle. @param {[number, number][]} points */
function crossed(points) {
  /** @type {[number, number][]} */
  const all = [];
  points.forEach(([x, y], index) => {
    const [px, py] = points[index - 1] ?? [x, y];
    if ((py - 50) * (y - 50) < 0) all.push([px + ((50 - py) / (y - py)) * (x - px), 50]);
    all.push([x, y]);
  });
  return all;
}

/**
 * Draws the main line's values into `host`.
 * @param {HTMLElement} host
 * @param {import("./tree.js").Place[]} line
 * @param {number} current
 * @param {(place: import("./tree.js").Place) => void} go
 */
export function drawGraph(host, line, current, go) {
  const last = Math.max(1, line.length - 1);
  const values = line.map(forBlack);
  const known = values.filter((value) => value !== undefined);
  const range = Math.max(8, Math.ceil(Math.max(0, ...known.map(Math.abs)) / 4) * 4);
  /** @type {[number, number][]} */
  const points = [];
  values.forEach((value, ply) => {
    if (value !== undefined) points.push([(100 * ply) / last, 50 - (50 * value) / range]);
  });
  const plot = make("div", "plot");
  if (points.length > 1) {
    const area = (/** @type {"max" | "min"} */ side) => {
      const ends = crossed(points).map(([x, y]) => /** @type {[number, number]} */ ([x, Math[side](y, 50)]));
      return corners([[points[0][0], 50], ...ends, [points[points.length - 1][0], 50]]);
    };
    plot.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">` +
      `<polygon class="area black" points="${area("min")}"/><polygon class="area white" points="${area("max")}"/>` +
      `<path class="zero" d="M0 50H100"/><polyline class="line" points="${corners(points)}"/></svg>`;
  } else {
    plot.append(make("span", "none", t("graph-empty")));
  }
  line.forEach((place, ply) => {
    const next = line[ply + 1];
    const value = values[ply];
    const loss = next && next.move !== "--" ? lossOf(place, next.move) : undefined;
    if (loss === undefined || value === undefined || loss < 2) return;
    const mark = make("a", `mark ${grade(loss)}`);
    mark.href = "#study";
    mark.style.left = `${(100 * ply) / last}%`;
    mark.style.top = `${50 - (50 * value) / range}%`;
    mark.title = t("loses", { move: `${place.number}. ${next.move}`, discs: discs(loss).slice(1) });
    mark.setAttribute("aria-label", mark.title);
    mark.addEventListener("click", (/** @type {Event} */ event) => {
      event.preventDefault();
      event.stopPropagation();
      go(place);
    });
    plot.append(mark);
  });
  const cursor = make("span", "cursor");
  cursor.style.left = `${(100 * current) / last}%`;
  plot.append(cursor);
  plot.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const box = plot.getBoundingClientRect();
    go(line[Math.round(((event.clientX - box.left) / box.width) * last)] ?? line[0]);
  });
  const labels = [[0, `+${range}`], [50, "0"], [100, `\u2212${range}`]].map(([top, text]) => {
    const label = make("span", "high", String(text));
    label.style.top = `${top}%`;
    return label;
  });
  host.replaceChildren(plot, ...labels);
}
