// Words in the user's language, and numbers as the page writes them.

/** @type {Record<string, Record<string, string>>} */
const TEXTS = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");
/** @type {[string, string][]} */
export const LANGUAGES = [["en", "English"], ["fr", "Français"], ["ja", "日本語"]];
let language = "en";

/** The language of the browser, if the page has it. */
export function usualLanguage() {
  const wanted = navigator.languages.map((each) => each.slice(0, 2));
  return wanted.find((each) => LANGUAGES.some(([code]) => code === each)) ?? "en";
}

export function speak(/** @type {string} */ code) {
  language = code in TEXTS ? code : "en";
  document.documentElement.lang = language;
  for (const each of /** @type {any} */ (document.querySelectorAll("[data-t]"))) each.textContent = t(each.dataset.t);
  for (const each of /** @type {any} */ (document.querySelectorAll("[data-label]"))) {
    each.setAttribute("aria-label", t(each.dataset.label));
    each.title = t(each.dataset.label);
  }
}

/** The code of the language. */
export const spoken = () => language;

/**
 * The text of a key; `{name}` in it becomes the value of that name.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = TEXTS[language]?.[key] ?? TEXTS.en?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** All openings: their English name and that of the page's language. @returns {[string, string][]} */
export const openings = () => Object.keys(TEXTS.openings ?? {}).map((name) => /** @type {[string, string]} */ ([name, openingName(name)])).sort(([, a], [, b]) => a.localeCompare(b, language));

/** The name of an opening, from its English one. */
export function openingName(/** @type {string} */ name) {
  return /** @type {any} */ (TEXTS.openings)?.[name]?.[language === "fr" ? 0 : 1] && language !== "en"
    ? /** @type {any} */ (TEXTS.openings)[name][language === "fr" ? 0 : 1] : name;
}

/** What a text is about, and the text. */
export const labeled = (/** @type {string} */ name, /** @type {string} */ text) => name + t("colon") + text;

/** The name of a side. */
export const title = (/** @type {string} */ side) => t(side === "black" ? "black" : "white");

/** Discs with a sign and a real minus; a proven score is a whole number. */
export function discs(/** @type {number} */ value, exact = false) {
  const text = Math.abs(value).toFixed(exact && Number.isInteger(value) ? 0 : 1);
  if (Number(text) === 0) return text;
  return (value < 0 ? "\u2212" : "+") + text;
}

/**
 * The value of an answer or move, `sign` -1 for the other side.
 * @param {any} line
 */
export function worth(line, sign = 1) {
  if (!line) return "";
  if (line.score !== undefined) return discs(sign * line.score, line.exact);
  if (line.result !== undefined) return t(`result-${turned(line.result, sign)}`);
  const [mark, value] = line.at_least !== undefined ? [1, line.at_least] : [-1, line.at_most];
  if (value === undefined) return "";
  return (mark * sign > 0 ? "\u2265" : "\u2264") + discs(sign * value);
}

const turned = (/** @type {string} */ result, /** @type {number} */ sign) =>
  sign > 0 || result === "draw" ? result : result === "win" ? "loss" : "win";

export const percent = (/** @type {number} */ share) => `${Math.round(100 * share)}\u00a0%`;

/** Seconds or minutes. */
export function time(/** @type {number} */ seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** What a clock shows. */
export function clock(/** @type {number} */ milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A large number in few letters. */
export function many(/** @type {number} */ number) {
  if (number < 1e4) return String(Math.round(number));
  return number < 1e6 ? `${Math.round(number / 1e3)} k` : `${(number / 1e6).toFixed(number < 1e7 ? 1 : 0)} M`;
}
