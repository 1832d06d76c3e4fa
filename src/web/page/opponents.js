// The opponents of Play, from weak to strong: the one table of their names and requests.
import { settings } from "./settings.js";
import { t } from "./text.js";

/** The people by their rating among the players of WTHOR's tournaments; the names of src/guide/PEOPLE.md. @type {Record<string, number>} */
export const PEOPLE = { beginner: 1000, club: 1300, strong: 1550, expert: 1800 };
/** The rating of weak play, on the engine's own scale. */
const FIRST_STEPS = 300;
const MORE = [1100, 1200, 1400, 1500, 1600, 1700, 1900, 2000];
/** All opponents; `person1450` plays like a person of that rating. */
export const NAMES = ["first", ...Object.keys(PEOPLE), "engine", ...MORE.map((rating) => `person${rating}`)];
/** Those with a large button; the others are behind "more". */
export const LARGE = ["beginner", "club", "expert"];

/** The rating of an opponent that plays like a person. @param {string} player @returns {number | undefined} */
export const ratingOf = (player) => PEOPLE[player] ?? (Number(player.match(/^person(\d+)$/)?.[1]) || undefined);

/** The name of a player, for people and files. */
export function nameOf(/** @type {string} */ player) {
  if (player === "you") return t("you");
  return player.startsWith("person") ? t("opponent-person", { rating: ratingOf(player) ?? "" }) : t(`opponent-${player}`);
}

/** The name in a list, with the rating. */
export const labelOf = (/** @type {string} */ player) => (player in PEOPLE ? `${nameOf(player)} (${PEOPLE[player]})` : nameOf(player));

/** The budget of an opponent's move; one seed makes one game. @param {string} player @param {number} seed */
export function strengthOf(player, seed) {
  if (player === "first") return { elo: FIRST_STEPS, seed };
  const person = ratingOf(player);
  return person ? { person, seed } : { level: settings.engineLevel };
}

/** A seed that no game had before. */
export const newSeed = () => Math.floor(Math.random() * 2 ** 31);
