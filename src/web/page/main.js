// The page begins here.
import { App } from "./app.js";
import { Desk } from "./desk.js";
import { get } from "./dom.js";
import { Library } from "./library.js";
import { Opener } from "./open.js";
import { Options } from "./options.js";
import { Play } from "./play.js";
import { Quiz } from "./quiz.js";
import { ReportView } from "./report.js";
import { applyTheme, settings } from "./settings.js";
import { Study } from "./study.js";
import { speak, t, usualLanguage } from "./text.js";

const app = new App();
applyTheme();
const desk = new Desk(app);
const play = new Play(app, desk);
app.views = {
  play, study: new Study(app, desk), report: new ReportView(app), quiz: new Quiz(app, desk),
  library: new Library(app), settings: new Options(app),
};
const opener = new Opener(app);
speak(settings.language || usualLanguage());

const STEPS = /** @type {Record<string, () => void>} */ ({
  ArrowLeft: () => app.step(-1), ArrowRight: () => app.step(1), Home: () => app.first(), End: () => app.last(),
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {any} */ (event.target);
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

const fromAddress = () => app.show(location.hash.slice(1));
addEventListener("hashchange", fromAddress);
fromAddress();

/** A message that stays. */
function notice(/** @type {string} */ text) {
  get("notice").textContent = text;
  get("notice").hidden = false;
}

app.engine.ready.then(() => document.documentElement.classList.add("ready"), (error) => notice(t("no-engine", { fault: error.message })));
const isKept = await app.store.open();
if (!isKept) notice(t("no-storage"));
await app.resume().catch(() => {});
play.resume();
app.draw();
if (isSecureContext && location.protocol.startsWith("http") && "serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
