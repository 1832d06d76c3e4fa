// The opponents of Play, from weak to strong: the one table of their names and requests.
import { settings } from "./settings.js";
import { t } from "./text.js";

/**
 * What each asks of the engine. Its names are those of people: their strength on the scale of Othello's tournaments.
 * @type {Record<string, () => object>}
 */
const OPPONENTS = {
  first: () => ({ elo: 300 }),
  beginner: () => ({ elo: 600 }),
  club: () => ({ elo: 1300 }),
  strong: () => ({ elo: 1550 }),
  expert: () => ({ elo: 1800 }),
  engine: () => ({ level: settings.engineLevel }),
};
export const NAMES = Object.keys(OPPONENTS);
/** Those with a large button; the others are behind "more". */
export const LARGE = ["beginner", "club", "expert"];

/** The name of a player, for people and files. */
export const nameOf = (/** @type {string} */ player) => (player === "you" ? t("you") : t(`opponent-${player}`));

/** The limits of a search for a move of an opponent. @param {string} player */
export const strengthOf = (player) => (OPPONENTS[player] ?? OPPONENTS.engine)();
