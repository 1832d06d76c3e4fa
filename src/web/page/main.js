// The page begins here.
import { App } from "./app.js";
import { Desk } from "./desk.js";
import { get } from "./dom.js";
import { Library } from "./library.js";
import { Opener, explain } from "./open.js";
import { openAddress } from "./share.js";
import { Options } from "./options.js";
import { Play } from "./play.js";
import { Quiz } from "./quiz.js";
import { ReportView } from "./report.js";
import { applyTheme, refused, settings } from "./settings.js";
import { Stats } from "./stats.js";
import { Study } from "./study.js";
import { speak, t, usualLanguage } from "./text.js";

const app = new App();
applyTheme();
const desk = new Desk(app);
const play = new Play(app, desk);
app.views = {
  play, study: new Study(app, desk), report: new ReportView(app), quiz: new Quiz(app, desk),
  library: new Library(app), settings: new Options(app), stats: new Stats(app),
};
refused.tell = (fault) => app.warn(fault);
const opener = new Opener(app);
Object.assign(app, { opener, explain, openGame: opener.openGame.bind(opener) });
get("rescue").addEventListener("click", () => app.library.rescue());
speak(settings.language || usualLanguage());

const STEPS = /** @type {Record<string, () => void>} */ ({
  ArrowLeft: () => app.step(-1), ArrowRight: () => app.step(1), Home: () => app.first(), End: () => app.last(),
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {any} */ (event.target);
  const isUndo = (event.ctrlKey || event.metaKey) && event.key === "z" && app.undoable;
  if (isUndo && !target.closest("input:not([type=checkbox]), textarea")) {
    event.preventDefault();
    app.undo();
    return;
  }
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (target.closest("input:not([type=checkbox]), textarea, select, summary")) return;
  // Space and Enter press the button that has the focus.
  if ((event.key === " " || event.key === "Enter") && target.closest("button, a, input")) return;
  const small = event.key.length === 1 ? new KeyboardEvent("keydown", { key: event.key.toLowerCase() }) : event;
  const hasSteps = ["play", "study"].includes(app.view);
  if (app.current?.key?.(small)) event.preventDefault();
  else if (event.key === "o") opener.dialog();
  else if (hasSteps && STEPS[event.key]) {
    STEPS[event.key]();
    event.preventDefault();
  }
});

const isGame = () => /^#[gp]=/.test(location.hash);
addEventListener("hashchange", () => (isGame() ? openAddress(app, location.hash) : app.show(location.hash.slice(1))));
const asked = location.hash;
app.show(isGame() ? "study" : asked.slice(1));

/** A message that stays. */
function notice(/** @type {string} */ text) {
  get("notice").textContent = text;
  get("notice").hidden = false;
}

app.engine.ready.then(() => document.documentElement.classList.add("ready"), (error) => notice(t("no-engine", { fault: error.message })));
await app.store.open();
await app.resume().catch((error) => notice(String(error)));
app.draw();
if (/^#[gp]=/.test(asked)) await openAddress(app, asked);
document.documentElement.classList.add("resumed");
if (isSecureContext && location.protocol.startsWith("http") && "serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
