/** Squares such as `"d3 c4"` or `["d3", "c4"]`. */
export type Squares = string | string[];

/** A request of the analysis stream; `emilia help json` explains each field. Without a budget: level 16. */
export interface Request {
  position?: string;
  game?: string;
  play?: string;
  turns?: "all" | "last" | number[];
  depth?: number;
  level?: number;
  elo?: number;
  person?: number;
  seed?: number;
  rating?: number;
  trap?: number;
  nodes?: number;
  seconds?: number;
  exact?: boolean;
  wld?: boolean;
  selectivity?: number;
  best_moves?: number | "all";
  allow?: Squares;
  avoid?: Squares;
  confidence?: number;
  losses?: boolean;
  warm?: boolean;
  why?: "en" | "fr" | "ja";
  priority?: number;
  /** Seconds between partial answers. */
  partial_every?: number;
  pv_length?: number;
}

/** A move with its score in discs, for the side to move. */
export interface Move {
  move: string;
  score?: number;
  at_least?: number;
  at_most?: number;
  depth?: number;
  selectivity?: number;
  pv?: string[];
  [field: string]: unknown;
}

/** An answer; the schema of `emilia help schema` has all its fields. */
export interface Answer {
  /** The board, 64 characters and the side to move. */
  position: string;
  /** The best first; empty when the game is over. */
  moves?: Move[];
  partial?: boolean;
  cancelled?: boolean;
  depth?: number;
  empties?: number;
  nodes?: number;
  seconds?: number;
  turn?: number;
  positions?: number;
  [field: string]: unknown;
}

/** A search under way: `await` it, or loop over its answers, partial ones included. A loop that is left cancels it. */
export interface Search<Result> extends PromiseLike<Result>, AsyncIterable<Answer> {
  /** Ends the search; its answer is the result so far, with `cancelled`. */
  cancel(): void;
  catch<Other>(onFault: (fault: Error) => Other): Promise<Result | Other>;
  finally(onEnd: () => void): Promise<Result>;
}

/** A refused request: `field` names the part at fault. */
export class RequestError extends Error {
  readonly field?: string;
  readonly id?: number;
}

export interface Source {
  /** A compiled module, for several engines. */
  module?: WebAssembly.Module;
  /** The address of `emilia.wasm`, if it is not beside this package; in Node a path or a file URL. */
  url?: string | URL;
}

/** An engine in a worker of its own. It searches one position at a time, by one thread. */
export class Engine {
  private constructor();
  static start(source?: Source): Promise<Engine>;
  /** All positions of a game, an answer each. Throws if the engine is closed or has failed. */
  analyze(request: Request & { game: string }, options?: { signal?: AbortSignal }): Search<Answer[]>;
  /** Analyzes a position; an aborted `signal` cancels it. */
  analyze(request: Request, options?: { signal?: AbortSignal }): Search<Answer>;
  /** Calls the module: `games`, `write`, `book`, `version` and others. */
  call(name: string, fields?: object): Promise<Record<string, any>>;
  /** Ends the worker. What is under way fails. */
  close(): void;
}
