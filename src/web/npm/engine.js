// The engine for programs in JavaScript: a worker, requests with a promise each, partial answers, cancel.
import { begin } from "#worker";

/** A refused request: `field` names the part at fault. */
export class RequestError extends Error {
  constructor(answer) {
    super(answer.error);
    this.name = "RequestError";
    this.field = answer.field;
    this.id = answer.id;
  }
}

/** A search under way: wait for it like for a promise, or loop over its answers, partial ones included. */
export class Search {
  constructor(engine, id, isGame) {
    this.id = id;
    this.answers = [];
    this.heard = [];
    this.isGame = isGame;
    this.isDone = false;
    this.engine = engine;
    this.whole = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    // A loop over the answers raises the error, too.
    this.whole.catch(() => {});
  }

  /** Ends the search; its answer is the result so far, with `cancelled`. */
  cancel() {
    if (!this.isDone) this.engine.send({ cancel: this.id });
  }

  take(answer) {
    if (answer.error !== undefined) return this.end(new RequestError(answer));
    if (answer.position === undefined) return undefined;
    this.heard.push(answer);
    if (!answer.partial) this.answers.push(answer);
    if (!answer.partial && this.answers.length >= (answer.positions ?? 1)) return this.end();
    return this.wake?.();
  }

  end(fault) {
    this.isDone = true;
    this.engine.open.delete(this.id);
    if (fault) this.reject(fault);
    else this.resolve(this.isGame ? this.answers : this.answers.at(-1));
    this.wake?.();
  }

  then(onAnswer, onFault) {
    return this.whole.then(onAnswer, onFault);
  }

  catch(onFault) {
    return this.whole.catch(onFault);
  }

  finally(onEnd) {
    return this.whole.finally(onEnd);
  }

  async *[Symbol.asyncIterator]() {
    let at = 0;
    try {
      while (at < this.heard.length || !this.isDone) {
        if (at < this.heard.length) yield this.heard[at++];
        else await new Promise((resolve) => { this.wake = resolve; });
      }
      await this.whole;
    } finally {
      // A loop that is left wants no more.
      this.cancel();
    }
  }
}

/** A call of the module: one answer. */
class Call {
  constructor(engine, id) {
    this.engine = engine;
    this.id = id;
    this.whole = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }

  take(answer) {
    this.engine.open.delete(this.id);
    if (answer.error === undefined) this.resolve(answer);
    else this.reject(new RequestError(answer));
  }

  end(fault) {
    this.reject(fault);
  }
}

export class Engine {
  /** Use `Engine.start()`. */
  constructor(worker) {
    this.worker = worker;
    this.number = 0;
    this.open = new Map();
    this.fault = undefined;
    worker.listen((message) => this.hear(message));
  }

  /** Starts a worker and loads the module. `module` is a compiled one, `url` the address of another. */
  static async start(options = {}) {
    const worker = await begin(options);
    const engine = new Engine(worker);
    await new Promise((resolve, reject) => Object.assign(engine, { ready: resolve, refuse: reject }));
    return engine;
  }

  hear({ lines, failed, module, bytes }) {
    if (failed !== undefined) this.fail(new Error(failed));
    // The worker has compiled the module: the same one loads it.
    else if (module) this.worker.post({ start: { module } });
    else if (bytes !== undefined) this.ready();
    for (const line of lines ?? []) {
      const answer = JSON.parse(line);
      if (answer.panic) this.fail(new Error(answer.panic));
      else this.open.get(answer.id)?.take(answer);
    }
  }

  fail(fault) {
    this.fault ??= fault;
    this.refuse?.(fault);
    this.worker.end();
    for (const asked of [...this.open.values()]) asked.end(fault);
    this.open.clear();
  }

  send(object, slice = 30) {
    if (this.fault) throw this.fault;
    this.worker.post({ send: object, slice });
  }

  ask(asked, object, slice) {
    this.open.set(asked.id, asked);
    this.send(object, slice);
    return asked;
  }

  /** Analyzes a position, or all positions of a `game`. */
  analyze(request, { signal } = {}) {
    if (this.fault) throw this.fault;
    if (request.id !== undefined) throw new TypeError("the engine gives each request its id");
    const search = new Search(this, (this.number += 1), request.game !== undefined);
    this.ask(search, { ...request, id: search.id }, request.game === undefined ? 30 : 200);
    if (signal?.aborted) search.cancel();
    else signal?.addEventListener("abort", () => search.cancel(), { once: true });
    return search;
  }

  /** Calls the module: `games`, `write`, `book` and others, see README.md. */
  call(name, fields = {}) {
    if (this.fault) throw this.fault;
    const id = (this.number += 1);
    return this.ask(new Call(this, id), { ...fields, call: name, id }).whole;
  }

  /** Ends the worker. What is under way fails. */
  close() {
    this.fail(new Error("the engine is closed"));
  }
}
