"use strict";
(() => {
  const { turns, first, ggf, language } = JSON.parse(document.getElementById("game").textContent);
  const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");
  /* A text in the language of the page. */
  const t = (text, values = {}) => (texts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const last = turns.length - 1;
  const get = (id) => document.getElementById(id);
  const [board, panel, choices, values, numbers, locks, said] =
    ["board", "panel", "choices", "values", "numbers", "locks", "said"].map(get);
  const cells = new Map([...board.querySelectorAll(".cell")].map((cell) => [cell.dataset.square, cell]));
  const names = [...cells.keys()];
  const links = [...document.querySelectorAll("[data-ply]")];
  const GRADES = ["good", "slip", "mistake", "blunder"];
  const isMistake = (turn) => GRADES.indexOf(turn.grade) > 0;
  /* The turns of the game by position, also for transpositions. */
  const known = new Map(turns.map((turn) => [turn.board + turn.side, turn]));
  let ply = 0;
  let search = null; // the engine's search of the position in a side line: { key, cancel }
  let line = null; // moves tried from `ply` on, and how many of them are on the board: { moves, at }

  const on = (side) => (side === "black" ? "X" : "O");
  const other = (side) => (side === "black" ? "white" : "black");
  const title = (side) => t(side === "black" ? "Black" : "White");
  const count = (text, disc) => [...text].filter((c) => c === disc).length;
  const inWords = (move) => (move === "pass" ? t(move) : move);
  const firstOf = (choice) => choice.line.split(" ")[0];

  /* The squares that a disc on `square` turns. */
  function flips(text, square, side) {
    const at = names.indexOf(square);
    const turned = [];
    for (const [dx, dy] of [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]]) {
      const run = [];
      let x = (at % 8) + dx;
      let y = Math.floor(at / 8) + dy;
      while (x >= 0 && x < 8 && y >= 0 && y < 8 && text[y * 8 + x] === on(other(side))) {
        run.push(y * 8 + x);
        x += dx;
        y += dy;
      }
      if (x >= 0 && x < 8 && y >= 0 && y < 8 && text[y * 8 + x] === on(side)) turned.push(...run);
    }
    return turned;
  }

  const legal = (text, side) =>
    names.filter((name, index) => text[index] === "-" && flips(text, name, side).length > 0);

  /* The position after a move. */
  function after({ text, side }, move) {
    if (move === "pass") return { text, side: other(side) };
    const next = [...text];
    for (const index of flips(text, move, side)) next[index] = on(side);
    next[names.indexOf(move)] = on(side);
    return { text: next.join(""), side: other(side) };
  }

  /* The position shown: its moves, its turn if known, the number of its next move. */
  function here() {
    const turn = turns[ply];
    const before = turns.slice(0, ply).map((each) => each.move);
    let place = { text: turn.board, side: turn.side };
    const tried = line ? line.moves.slice(0, line.at) : [];
    for (const move of tried) place = after(place, move);
    const moves = [...before, ...tried];
    const found = line ? known.get(place.text + place.side) : turn;
    const number = 1 + moves.filter((move) => move !== "pass").length;
    const open = legal(place.text, place.side);
    const over = open.length === 0 && legal(place.text, other(place.side)).length === 0;
    return { ...place, moves, turn: found, number, open, over };
  }

  function element(tag, className, ...content) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...content);
    return made;
  }

  function button(label, className, act) {
    const made = element("button", className, label);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  const stone = (side) => element("i", `stone ${side}`);
  const quiet = (text) => element("span", "quiet", text);

  function drawBoard({ text, side, moves, turn, open, over }) {
    const placed = moves.filter((move) => move !== "pass");
    const lastMove = moves[moves.length - 1];
    const found = new Map(values.checked && turn && turn.moves ? turn.moves.map((each) => [firstOf(each), each]) : []);
    const next = line ? line.moves[line.at] : turn.move;
    names.forEach((name, index) => {
      const cell = cells.get(name);
      const choice = found.get(name);
      const number = numbers.checked ? placed.lastIndexOf(name) + 1 : 0;
      const marks = {
        b: text[index] === "X",
        w: text[index] === "O",
        last: name === lastMove,
        open: open.includes(name),
        value: Boolean(choice),
        number: number > 0,
        played: values.checked && name === next && open.includes(name),
        stable: locks.checked && Boolean(turn) && turn.stable.includes(name),
      };
      cell.setAttribute("class", ["cell", choice ? choice.grade || "" : "", ...Object.keys(marks).filter((mark) => marks[mark])].join(" "));
      const label = cell.querySelector("text");
      label.textContent = choice ? choice.value : number || "";
      // A long value fits into its square in any font.
      if (label.textContent.length > 4) label.setAttribute("textLength", "82");
      else label.removeAttribute("textLength");
      label.setAttribute("lengthAdjust", "spacingAndGlyphs");
    });
    const mark = get("turn");
    mark.setAttribute("fill", side === "black" ? "url(#ink)" : "url(#chalk)");
    mark.setAttribute("visibility", over ? "hidden" : "visible");
    const squares = (disc) => names.filter((name, index) => text[index] === disc).join(" ");
    board.setAttribute("aria-label", [t("Board"), `${title("black")}${t(":")} ${squares("X")}`, `${title("white")}${t(":")} ${squares("O")}`, over ? t("The end") : t("{side} to move", { side: title(side) })].join(`${t(".")} `));
  }

  /* The move played, its loss, and the value of the position. */
  function drawPanel({ text, side, turn, number, over }) {
    panel.replaceChildren();
    const now = element("p", "now");
    const black = count(text, "X");
    const white = count(text, "O");
    if (over) {
      const by = turn ? turn.result : black - white + Math.sign(black - white) * (64 - black - white);
      now.append(`${t("The end")}${t(":")} `, element("b", "", by === 0 ? t("draw") : t("{side} wins by {n}", { side: title(by > 0 ? "black" : "white"), n: Math.abs(by) })));
    } else {
      now.append(`${t("Move {n}", { n: number })}${t(",")} `, stone(side), t("{side} to move", { side: title(side) }));
      if (turn && turn.worth) now.append(`${t(":")} `, element("b", "", turn.worth));
    }
    panel.append(now);
    const facts = [t("{black} black, {white} white discs", { black, white })];
    if (turn && turn.known && !over) facts.unshift(turn.known + (turn.chance ? ` · ${t("{side} wins with {chance}", { side: title(side), chance: turn.chance })}` : ""));
    panel.append(element("p", "quiet", facts.join(" · ")));
    if (line) drawLine();
    else if (turn.move && !over) drawPlayed(turn, number);
  }

  function drawPlayed(turn, number) {
    const played = element("p", "");
    if (turn.move === "pass") {
      played.append(t("{side} has no move and passes.", { side: title(turn.side) }));
    } else {
      played.append(`${t("Played:")} `, element("b", "", `${number}. ${turn.move}`));
      if (turn.loss) {
        played.append(`${t(",")} ${t("lost")} `, element("b", turn.grade, turn.loss));
        if (turn.cost) played.append(`${t(",")} ${t("{cost} of the chance to win", { cost: turn.cost })}`);
        const best = turn.moves && firstOf(turn.moves[0]);
        if (best && best !== turn.move) played.append(`${t(";")} ${t("better:")} `, element("b", "", best));
      } else if (turn.grade) {
        played.append(quiet(`${t(",")} ${t("the best move or as good")}`));
      }
    }
    if (turn.time) played.append(quiet(` · ${turn.time}${turn.left ? `${t(",")} ${t("{time} left", { time: turn.left })}` : ""}`));
    panel.append(played);
    if (turn.why) {
      panel.append(element("p", "why", turn.why));
    }
    if (turn.trap) panel.append(element("p", "trap", turn.trap));
  }

  /* The line that is tried, a button for each of its moves. */
  function drawLine() {
    const turn = turns[ply];
    const choice = (turn.moves || []).find((each) => firstOf(each) === line.moves[0]);
    const words = element("p", "");
    words.append(`${turn.move ? t("Instead of {move}:", { move: turn.move }) : t("A line:")} `, element("b", "", line.moves[0]));
    if (choice) words.append(`${t(",")} `, element("b", "", t("{value} for {side}", { value: choice.value, side: title(turn.side) })));
    words.append(" ", button(t("back to the game"), "back", leave));
    const moves = element("p", "line-moves");
    line.moves.forEach((move, index) => {
      const each = button(inWords(move), index + 1 === line.at ? "on" : "", () => {
        line.at = index + 1;
        draw();
      });
      if (index + 1 === line.at) each.setAttribute("aria-current", "step");
      moves.append(each);
    });
    panel.append(words, moves);
  }

  /* All moves with their values: a button each leads into its line. */
  function drawChoices({ turn, side }) {
    choices.replaceChildren();
    if (!values.checked || !turn || !turn.moves || turn.result !== undefined) return;
    const table = element("table", "choices");
    table.append(element("caption", "", t("Discs and chances to win for {side}, to move", { side: title(side) })));
    const head = element("tr", "");
    for (const [label, kind] of [[t("Move"), ""], [t("Value"), "num"], [t("Loss"), "num"], [t("Wins"), "num"], [t("Goes on"), ""]]) {
      const cell = element("th", kind, label);
      cell.scope = "col";
      head.append(cell);
    }
    const body = element("tbody", "");
    for (const choice of turn.moves) {
      const [move, ...rest] = choice.line.split(" ");
      const row = element("tr", !line && move === turn.move ? "played" : "");
      const label = button(inWords(move), "try", () => tryMove(move));
      label.setAttribute("aria-label", `${inWords(move)}${t(",")} ${choice.value}${!line && move === turn.move ? `${t(",")} ${t("the move of the game")}` : ""}`);
      row.append(
        element("td", "", label),
        element("td", "num", choice.value),
        element("td", `num ${choice.grade || ""}`, choice.loss || (choice.grade === "best" ? t("best") : "")),
        element("td", "num", choice.chance || ""),
        element("td", "goes-on", rest.slice(0, 6).map(inWords).join(" ")),
      );
      body.append(row);
    }
    table.append(element("thead", "", head), body);
    choices.append(table);
  }

  /* The engine of this page or of the page around it, if there is one; its own starts when it is asked first. */
  function engine() {
    if (!window.emilia && typeof Engine === "function") window.emilia = new Engine(say);
    return window.emilia;
  }

  /* Values of a side line's position, which deepen while it is shown. */
  function ask({ text, side, turn, open }) {
    const key = text + side;
    if (search && search.key === key) return;
    if (search) search.cancel();
    search = null;
    if (!line || open.length === 0 || (turn && !turn.deepens) || !engine()) return;
    const request = { position: `${text} ${on(side)}`, best_moves: "all", level: 20, partial_every: 0.3, priority: -1 };
    const { done, cancel } = engine().analyze(request, async ({ partial, cancelled, ...answer }) => {
      const found = await engine().call("turn", { answers: [answer], language });
      known.set(key, { ...found, deepens: Boolean(partial || cancelled) });
      redraw();
    });
    done.catch((error) => say(error.message));
    search = { key, cancel };
  }

  /* Draws new values, but no button is replaced while it is pressed. */
  let isPressed = false;
  let waits = false;
  addEventListener("pointerdown", () => { isPressed = true; });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => setTimeout(() => {
      isPressed = false;
      if (waits) redraw();
    }));
  }
  function redraw() {
    waits = isPressed;
    if (!waits) draw();
  }

  function draw() {
    const place = here();
    ask(place);
    const hadFocus = [panel, choices].some((part) => part.contains(document.activeElement));
    drawBoard(place);
    drawPanel(place);
    drawChoices(place);
    for (const link of links) {
      const current = Number(link.dataset.ply) === ply;
      link.classList.toggle("current", current);
      if (current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const cursor of document.querySelectorAll(".cursor")) {
      cursor.style.left = `${last ? (100 * ply) / last : 0}%`;
    }
    const atStart = ply === 0 && !line;
    const atEnd = line ? line.at === line.moves.length : ply === last;
    get("first").disabled = get("back").disabled = atStart;
    get("last").disabled = ply === last && !line;
    get("next").disabled = atEnd;
    get("up").disabled = marked(-1) === undefined;
    get("down").disabled = marked(1) === undefined;
    // The pressed button no longer exists.
    if (hadFocus) (panel.querySelector(".on") || get(atEnd ? "back" : "next")).focus({ preventScroll: true });
  }

  /* To a position of the game. */
  function go(to, write = true) {
    ply = Math.min(Math.max(to, 0), last);
    line = null;
    draw();
    const row = document.querySelector(".moves a.current");
    const list = row && row.closest(".list .card");
    if (list && list.scrollHeight > list.clientHeight) {
      list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    }
    if (write) history.replaceState(null, "", `#${turns[ply].id}`);
  }

  /* One move on or back, in the line that is tried or in the game. */
  function step(by) {
    if (!line) return go(ply + by);
    line.at = Math.min(line.at + by, line.moves.length);
    if (line.at < 1) line = null;
    draw();
  }

  function leave() {
    line = null;
    draw();
  }

  /* Plays a move on the board: that of the game goes on, another begins a line or changes the one that is tried. */
  function tryMove(move) {
    const { turn, text, side } = here();
    if (!line && turn.move === move) return go(ply + 1);
    if (!line || line.moves[line.at] !== move) {
      const choice = ((turn && turn.moves) || []).find((each) => firstOf(each) === move);
      const before = line ? line.moves.slice(0, line.at) : [];
      const moves = [...before, ...(choice ? choice.line.split(" ") : [move])];
      const next = after({ text, side }, move);
      if (moves.length === before.length + 1 && legal(next.text, next.side).length === 0 && legal(next.text, side).length > 0) {
        moves.push("pass");
      }
      line = { moves, at: before.length };
    }
    line.at += 1;
    // A pass is no choice.
    if (line.moves[line.at] === "pass" && line.at + 1 === line.moves.length) line.at += 1;
    draw();
  }

  /* The next place, forwards or backwards, whose move lost discs. */
  function marked(by) {
    for (let at = ply + by; at >= 0 && at <= last; at += by) if (isMistake(turns[at])) return at;
    return undefined;
  }

  /* Scrolls the board back into sight. */
  function reveal() {
    const box = board.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) get("viewer").scrollIntoView({ block: "start" });
  }

  function say(text) {
    said.textContent = text;
    setTimeout(() => {
      if (said.textContent === text) said.textContent = "";
    }, 3000);
  }

  function copy(text) {
    const fallback = () => {
      const area = element("textarea", "", text);
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done ? Promise.resolve() : Promise.reject(new Error("refused"));
    };
    const written = navigator.clipboard ? navigator.clipboard.writeText(text).catch(fallback) : fallback();
    written.then(() => say(t("copied")), () => say(t("the browser does not let a page copy")));
  }

  /* The shown board as a separate picture. */
  function picture() {
    const clone = board.cloneNode(true);
    const [drawn, copied] = [board, clone].map((root) => [...root.querySelectorAll("g *")]);
    drawn.forEach((each, index) => {
      if (getComputedStyle(each).display === "none" || each.matches(".hit")) copied[index].remove();
    });
    for (const name of ["id", "class", "role", "aria-label"]) clone.removeAttribute(name);
    const { width, height } = board.viewBox.baseVal;
    clone.setAttribute("width", width);
    clone.setAttribute("height", height);
    return new XMLSerializer().serializeToString(clone);
  }

  function save(blob, ending) {
    const link = element("a", "");
    link.href = URL.createObjectURL(blob);
    link.download = `move-${here().number}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function savePng() {
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = element("canvas", "");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d").drawImage(image, 0, 0);
      canvas.toBlob((blob) => save(blob, "png"));
    });
    image.src = `data:image/svg+xml,${encodeURIComponent(picture())}`;
  }

  const act = {
    first: () => go(0),
    back: () => step(-1),
    next: () => step(1),
    last: () => go(last),
    up: () => go(marked(-1) ?? ply),
    down: () => go(marked(1) ?? ply),
    "copy-moves": () => copy((line ? here().moves : turns.map((turn) => turn.move)).filter((move) => move && move !== "pass").join("")),
    "copy-ggf": () => copy(ggf),
    "copy-position": () => {
      const { text, side } = here();
      copy(`${text} ${on(side)}`);
    },
    "save-svg": () => save(new Blob([picture()], { type: "image/svg+xml" }), "svg"),
    "save-png": savePng,
  };
  for (const [id, run] of Object.entries(act)) get(id).addEventListener("click", run);
  for (const check of [values, numbers, locks]) check.addEventListener("change", draw);
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      go(Number(link.dataset.ply));
      reveal();
    });
  }
  for (const plot of document.querySelectorAll(".plot")) {
    plot.addEventListener("click", (event) => {
      const box = plot.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * last));
    });
  }
  for (const [name, cell] of cells) {
    cell.addEventListener("click", () => {
      if (here().open.includes(name)) tryMove(name);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const key = { ArrowLeft: "back", ArrowRight: "next", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" }[event.key];
    if (key) act[key]();
    else if (event.key === "Escape" && line) leave();
    else return;
    event.preventDefault();
  });
  const fromAddress = () => {
    const asked = turns.findIndex((turn) => `#${turn.id}` === location.hash);
    go(asked < 0 ? first : asked, false);
  };
  addEventListener("hashchange", fromAddress);
  document.documentElement.classList.add("live");
  fromAddress();
})();
