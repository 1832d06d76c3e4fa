// Settings.
import { field, get, make, select } from "./dom.js";
import { LANGUAGES, speak, t } from "./text.js";
import { applyTheme, set, settings } from "./settings.js";
import { PEOPLE, labelOf } from "./opponents.js";
import { LEVELS, levelName } from "./study.js";

export class Options {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.host = get("page-settings");
    /** @type {any} */
    this.version = undefined;
  }

  enter() {
    /** @type {[string, string][]} */
    const themes = ["auto", "light", "dark"].map((each) => [each, t(`theme-${each}`)]);
    /** @type {[string, string][]} */
    const perspectives = ["mover", "black"].map((each) => [each, t(`perspective-${each}`)]);
    /** @type {[string, string][]} */
    const levels = LEVELS.map((level) => [String(level), levelName(level)]);
    /** @type {[string, string][]} */
    const workers = [1, 2].map((count) => [String(count), String(count)]);
    const sounds = make("input");
    sounds.type = "checkbox";
    sounds.checked = settings.sounds;
    sounds.addEventListener("change", () => set("sounds", sounds.checked));
    const language = select("language", LANGUAGES, document.documentElement.lang, (value) => {
      set("language", value);
      speak(value);
      this.enter();
    });
    const theme = select("theme", themes, settings.theme, (value) => {
      set("theme", value);
      applyTheme();
    });
    const fields = make("div", "fields",
      field(t("language"), language), field(t("theme"), theme),
      field(t("analysis-level"), select("settings-level", levels, String(settings.level), (value) => set("level", Number(value)))),
      field(t("workers"), select("workers", workers, String(settings.workers), (value) => set("workers", Number(value)))),
      field(t("rating"), select("rating", Object.entries(PEOPLE).map(([name, rating]) => /** @type {[string, string]} */ ([String(rating), labelOf(name)])), String(settings.rating), (value) => set("rating", Number(value)))),
      field(t("perspective"), select("perspective", perspectives, settings.perspective, (value) => set("perspective", value))));
    const keys = ["arrows", "u", "h", "n", "v", "f", "o", "undo", "space", "esc"].map((each) =>
      make("div", "", make("dt", "", make("kbd", "", t(`key-${each}`))), make("dd", "", t(`key-${each}-does`))));
    this.about = make("p", "quiet", "");
    this.host.replaceChildren(
      make("section", "card", make("h2", "", t("settings")), fields, make("p", "quiet", t("rating-help")), make("label", "check", sounds, ` ${t("sounds")}`)),
      make("section", "card", make("h2", "", t("keys")), make("dl", "key-list", ...keys)),
      make("section", "card", make("h2", "", t("about")), make("p", "", t("about-text")), this.about));
    this.tellVersion();
  }

  async tellVersion() {
    this.version ??= await this.app.engine.call("version").catch(() => undefined);
    if (!this.version) return;
    const { version, weights, kernel } = this.version;
    this.about.textContent = `Emilia ${version} \u00b7 ${weights} \u00b7 ${kernel} \u00b7 ${(this.app.engine.bytes / 1048576).toFixed(0)} MB`;
  }

  draw() {
    // The fields change when the user changes them.
  }
}
