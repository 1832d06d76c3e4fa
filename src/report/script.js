"use strict";
(() => {
  const { turns } = JSON.parse(document.getElementById("game").textContent);
  const last = turns.length - 1;
  const board = document.getElementById("board");
  const panel = document.getElementById("panel");
  const hints = document.getElementById("hints");
  const locks = document.getElementById("locks");
  const cells = new Map([...board.querySelectorAll(".cell")].map((cell) => [cell.dataset.square, cell]));
  const names = [...cells.keys()];
  const links = [...document.querySelectorAll("[data-ply]")];
  let ply = last;
  let shown = -1; // moves of the best line shown on the board; -1: the game itself

  const on = (side) => (side === "black" ? "X" : "O");
  const other = (disc) => (disc === "X" ? "O" : "X");
  const title = (side) => (side === "black" ? "Black" : "White");

  /* The squares that a disc on `square` turns. */
  function flips(text, square, disc) {
    const at = names.indexOf(square);
    const turned = [];
    for (const [dx, dy] of [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]]) {
      const run = [];
      let x = (at % 8) + dx;
      let y = Math.floor(at / 8) + dy;
      while (x >= 0 && x < 8 && y >= 0 && y < 8 && text[y * 8 + x] === other(disc)) {
        run.push(y * 8 + x);
        x += dx;
        y += dy;
      }
      if (x >= 0 && x < 8 && y >= 0 && y < 8 && text[y * 8 + x] === disc) turned.push(...run);
    }
    return turned;
  }

  function after(text, square, disc) {
    const next = [...text];
    for (const index of flips(text, square, disc)) next[index] = disc;
    next[names.indexOf(square)] = disc;
    return next.join("");
  }

  /* The board after `count` moves of the best line of a turn. */
  function along(turn, count) {
    let text = turn.board;
    let disc = on(turn.side);
    for (const move of turn.line.slice(0, count)) {
      if (move !== "pass") text = after(text, move, disc);
      disc = other(disc);
    }
    return text;
  }

  function drawBoard() {
    const turn = turns[ply];
    const inLine = shown > 0;
    const text = inLine ? along(turn, shown) : turn.board;
    const move = inLine ? turn.line[shown - 1] : ply > 0 ? turns[ply - 1].move : undefined;
    const best = !inLine && hints.checked && turn.line ? turn.line[0] : undefined;
    const legal = !inLine && hints.checked && turn.result === undefined;
    names.forEach((name, index) => {
      const classes = cells.get(name).classList;
      classes.toggle("b", text[index] === "X");
      classes.toggle("w", text[index] === "O");
      classes.toggle("last", name === move);
      classes.toggle("best", name === best);
      const open = legal && text[index] === "-" && flips(text, name, on(turn.side)).length > 0;
      classes.toggle("open", open && name !== best);
      classes.toggle("stable", !inLine && locks.checked && turn.stable.includes(name));
    });
    const count = (disc) => [...text].filter((c) => c === disc).length;
    board.setAttribute("aria-label", `Black ${count("X")}, White ${count("O")} discs`);
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /* The move that led here, what it lost, and what is best now. */
  function drawPanel() {
    const turn = turns[ply];
    panel.replaceChildren();
    const now = element("p", "now");
    if (ply === 0) {
      now.append("Start of the game");
    } else {
      const before = turns[ply - 1];
      now.append(`${ply}. `, element("i", `stone ${before.side}`), element("b", "", before.move));
      if (before.loss) {
        now.append(" lost ", element("b", before.grade, before.loss));
        if (before.line && before.line[0] !== before.move) now.append(` (better: ${before.line[0]})`);
      } else if (before.grade) {
        now.append(element("span", "quiet", " the best move, or as good"));
      }
      if (before.time) {
        const left = before.left ? `, ${before.left} left` : "";
        now.append(element("span", "quiet", ` · ${before.time}${left}`));
      }
    }
    panel.append(now);
    const count = (disc) => [...turn.board].filter((c) => c === disc).length;
    const discs = element("p", "quiet", `${count("X")} black, ${count("O")} white discs`);
    if (turn.result !== undefined) {
      const by = Math.abs(turn.result);
      discs.append(turn.result === 0 ? " · a draw" : ` · ${turn.result > 0 ? "Black" : "White"} wins by ${by}`);
    }
    panel.append(discs);
    if (!turn.line || turn.result !== undefined) return;
    const best = element("p", "best-line");
    best.append(`${title(turn.side)} to move: `, element("b", "", turn.worth), element("span", "quiet", ` ${turn.known}${turn.chance ? ` · chance to win ${turn.chance}` : ""}`));
    panel.append(best);
    const line = element("p", "line-moves");
    turn.line.forEach((move, index) => {
      const button = element("button", index + 1 === shown ? "on" : "", move);
      button.type = "button";
      button.addEventListener("click", () => {
        shown = shown === index + 1 ? -1 : index + 1;
        draw();
      });
      line.append(button);
    });
    panel.append(line);
  }

  function draw() {
    drawBoard();
    drawPanel();
    for (const link of links) link.classList.toggle("current", Number(link.dataset.ply) === ply);
    for (const cursor of document.querySelectorAll(".cursor")) {
      cursor.style.left = `${last ? (100 * ply) / last : 0}%`;
    }
    document.getElementById("first").disabled = document.getElementById("back").disabled = ply === 0;
    document.getElementById("last").disabled = document.getElementById("next").disabled = ply === last;
  }

  function go(to, write = true) {
    ply = Math.min(Math.max(to, 0), last);
    shown = -1;
    draw();
    const row = document.querySelector(".moves a.current");
    const list = row && row.closest(".list .card");
    if (list && list.scrollHeight > list.clientHeight) {
      list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    }
    if (write) history.replaceState(null, "", `#${ply}`);
  }

  /* The next place, forwards or backwards, whose move lost discs. */
  function marked(step) {
    for (let at = ply + step; at > 0 && at <= last; at += step) {
      if (["slip", "mistake", "blunder"].includes(turns[at - 1].grade)) return at;
    }
    return ply;
  }

  document.getElementById("first").addEventListener("click", () => go(0));
  document.getElementById("back").addEventListener("click", () => go(ply - 1));
  document.getElementById("next").addEventListener("click", () => go(ply + 1));
  document.getElementById("last").addEventListener("click", () => go(last));
  hints.addEventListener("change", draw);
  locks.addEventListener("change", draw);
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      go(Number(link.dataset.ply));
    });
  }
  for (const plot of document.querySelectorAll(".plot")) {
    plot.addEventListener("click", (event) => {
      const box = plot.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * last));
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) go(to);
    else if (event.key === "ArrowUp") go(marked(-1));
    else if (event.key === "ArrowDown") go(marked(1));
    else return;
    event.preventDefault();
  });
  const fromAddress = () => {
    const asked = /^#(\d+)$/.exec(location.hash);
    go(asked ? Number(asked[1]) : last, false);
  };
  addEventListener("hashchange", fromAddress);
  document.documentElement.classList.add("live");
  fromAddress();
})();
