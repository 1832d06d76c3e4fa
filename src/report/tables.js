"use strict";
/* Tables that sort by a press on a column's head; a form above a table searches and filters it. Rows of the class "later"
   stay hidden until a press on "show all". */
const tableTexts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");
for (const table of document.querySelectorAll("table.sortable")) {
  const t = (text) => tableTexts[text] ?? text;
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.key ?? cell.textContent.trim();
    return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text.toLowerCase();
  };
  const isEmpty = (value) => value === "" || value === "\u2013";
  const compare = (a, b) => {
    if (isEmpty(a) || isEmpty(b)) return 0;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  };
  let shown = body.querySelectorAll(":scope > tr:not(.later)").length;
  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  const trim = () => {
    const fit = [...body.rows].filter((row) => !row.hidden);
    fit.forEach((row, place) => row.classList.toggle("later", place >= shown));
    more.hidden = fit.length <= shown;
    more.textContent = t("show all {n}").replace("{n}", fit.length);
  };
  more.addEventListener("click", () => {
    shown = Infinity;
    trim();
  });
  table.after(more);
  trim();

  heads.forEach((head, column) => {
    const button = head.querySelector(".sort");
    if (!button) return;
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const up = before ? before === "descending" : button.dataset.first === "up";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [key(row, column), row]);
      // Empty values come last in both orders.
      rows.sort(([a], [b]) => isEmpty(a) - isEmpty(b) || (up ? compare(a, b) : compare(b, a)));
      body.append(...rows.map(([, row]) => row));
      trim();
    });
  });

  const form = document.querySelector(`form[data-table="${table.id}"]`);
  if (!table.id || !form) continue;
  const said = form.querySelector("[role=status]");
  const texts = new Map([...body.rows].map((row) => [row, row.textContent.toLowerCase()]));
  const filter = () => {
    const words = form.elements.search.value.toLowerCase().split(/\s+/);
    const wanted = [...form.querySelectorAll("select")].map((select) => [select.name, select.value]).filter(([, value]) => value);
    let left = 0;
    for (const [row, text] of texts) {
      const fits = words.every((word) => text.includes(word)) &&
        wanted.every(([name, value]) => (row.dataset[name] ?? "").split(" ").includes(value));
      row.hidden = !fits;
      left += fits;
    }
    said.textContent = t("{n} of {all}").replace("{n}", left).replace("{all}", texts.size);
    trim();
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  form.hidden = false;
  filter();
}
