// What the user chose, kept in the browser.

const KEY = "emilia.settings";
const USUAL = {
  language: "",
  theme: "auto",
  level: 24,
  workers: Math.max(1, Math.min(2, (navigator.hardwareConcurrency || 2) - 1)),
  perspective: "mover",
  sounds: false,
  values: true,
  engine: true,
  opponent: "beginner",
  color: "black",
  engineLevel: 20,
  start: "usual",
  lesson: 0,
  clock: 0,
  reportLevel: 16,
  rating: 1550,
  quizDiscs: 2,
  quizPlayer: "",
};

/** @returns {any} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/** @type {typeof USUAL} */
export const settings = { ...USUAL, ...read() };
if (settings.start === "board") settings.start = "usual";
settings.workers = Math.min(2, settings.workers);
/** Hears that a choice is not kept. @type {{ tell: (fault: string) => void }} */
export const refused = { tell: () => {} };

/**
 * @template {keyof typeof USUAL} Name
 * @param {Name} name
 * @param {(typeof USUAL)[Name]} value
 */
export function set(name, value) {
  settings[name] = value;
  remember(KEY, JSON.stringify(settings));
}

/** Keeps a text beyond a reload, where the browser allows it. */
export function remember(/** @type {string} */ key, /** @type {string} */ text) {
  try {
    localStorage.setItem(key, text);
  } catch (error) {
    refused.tell(error instanceof Error ? error.message : String(error));
  }
}

export function recall(/** @type {string} */ key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Shows the page light, dark, or as the system has it. */
export function applyTheme() {
  const { theme } = settings;
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  const wanted = theme === "auto" ? "(prefers-color-scheme: dark)" : theme === "dark" ? "all" : "not all";
  for (const rule of /** @type {any} */ (document.styleSheets[0].cssRules)) {
    if (!(rule instanceof CSSMediaRule)) continue;
    if (darkRules.has(rule) || rule.media.mediaText.includes("prefers-color-scheme")) {
      darkRules.add(rule);
      rule.media.mediaText = wanted;
    }
  }
}

/** The rules for the dark theme. */
const darkRules = new Set();
