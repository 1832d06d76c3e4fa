// The engine in its worker: calls with one answer, searches with many.

/** Letters of the module that are copied in one go. */
const PART = 1 << 21;

/**
 * Where the worker and the module come from: the page itself, or a file beside it. The browser keeps a blob outside the page's memory.
 * @returns {Promise<{ worker: string, engine?: Blob, url?: string }>}
 */
async function source() {
  const packed = document.getElementById("engine");
  const code = document.getElementById("worker")?.textContent ?? "";
  const worker = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  if (packed) {
    const text = packed.textContent ?? "";
    packed.remove();
    const parts = [];
    for (let at = 0; at < text.length; at += PART) {
      parts.push(new Blob([text.slice(at, at + PART)]));
      // The page answers in between.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { worker, engine: new Blob(parts) };
  }
  return { worker, url: new URL("emilia.wasm", location.href).href };
}

/** @type {ReturnType<typeof source> | undefined} */
let found;

/** The module, once the first worker has compiled it. @type {WebAssembly.Module | undefined} */
let compiled;

/** A search that can be given up. @typedef {{ cancel: () => void, done: Promise<void> }} Search */

export class Engine {
  /** @param {(fault: string) => void} onFault hears that the engine failed and was started anew */
  constructor(onFault) {
    this.onFault = onFault;
    this.number = 0;
    this.bytes = 0;
    this.faults = 0;
    /** @type {Map<number, { take: (answer: any) => void, end: (fault?: string) => void }>} */
    this.open = new Map();
    /** @type {Promise<unknown>} */
    this.ready = Promise.resolve();
    /** @type {any} */
    this.worker = undefined;
    this.start();
  }

  start() {
    // The page is drawn first.
    this.ready = new Promise((resolve, reject) => { setTimeout(() => this.employ(resolve, reject).catch(reject)); });
    this.ready.catch(() => {});
  }

  /** @param {(value?: unknown) => void} resolve @param {(fault: Error) => void} reject */
  async employ(resolve, reject) {
    found ??= source();
    const { worker, engine, url } = await found;
    this.worker = new Worker(worker);
    this.worker.onmessage = ({ data }) => {
      if (data.lines) return data.lines.forEach((/** @type {string} */ line) => this.take(JSON.parse(line)));
      if (data.failed !== undefined) {
        reject(new Error(data.failed));
        return this.fail(data.failed);
      }
      if (data.module) {
        compiled = data.module;
        // The memory of unpacking goes with its worker.
        this.end();
        return this.employ(resolve, reject).catch(reject);
      }
      this.bytes = data.bytes;
      return resolve();
    };
    this.worker.onerror = (event) => reject(new Error(event.message));
    const module = compiled ?? engine;
    this.worker.postMessage({ start: { module, url: module ? undefined : url } });
  }

  /** @param {any} answer */
  take(answer) {
    if (answer.panic) return this.fail(answer.panic);
    const asked = this.open.get(answer.id);
    if (asked) asked.take(answer);
    return undefined;
  }

  /** Ends what was asked, and starts the engine anew. */
  fail(/** @type {string} */ fault) {
    this.end();
    for (const asked of this.open.values()) asked.end(fault);
    this.open.clear();
    this.faults += 1;
    // One that never starts is not tried for ever.
    if (this.faults < 4) this.start();
    this.onFault(fault);
  }

  end() {
    this.worker?.terminate();
  }

  send(/** @type {object} */ object, slice = 30) {
    this.ready.then(() => this.worker.postMessage({ send: object, slice }), () => {});
  }

  /**
   * A call and its answer.
   * @param {string} call
   * @param {object} fields
   * @returns {Promise<any>}
   */
  call(call, fields = {}) {
    const id = (this.number += 1);
    return new Promise((resolve, reject) => {
      const end = (/** @type {string | undefined} */ fault) => reject(new Error(fault));
      const take = (/** @type {any} */ answer) => {
        this.open.delete(id);
        if (answer.error) end(answer.error);
        else resolve(answer);
      };
      this.open.set(id, { take, end });
      this.send({ call, id, ...fields });
    });
  }

  /**
   * A request of the analysis stream; `take` gets its answers as they come.
   * @param {object} request
   * @param {(answer: any) => void} take
   * @returns {Search}
   */
  analyze(request, take, slice = 30) {
    const id = (this.number += 1);
    let answered = 0;
    /** @type {() => void} */
    let finish = () => {};
    /** @type {Promise<void>} */
    const done = new Promise((resolve, reject) => {
      finish = () => {
        this.open.delete(id);
        resolve();
      };
      const end = (/** @type {string | undefined} */ fault) => {
        this.open.delete(id);
        reject(new Error(fault));
      };
      this.open.set(id, {
        end,
        take: (answer) => {
          if (answer.error) return end(answer.error);
          if (answer.position) take(answer);
          if (!answer.partial) answered += 1;
          if (answered >= (answer.positions ?? 1)) finish();
          return undefined;
        },
      });
    });
    done.catch(() => {});
    this.send({ ...request, id }, slice);
    const cancel = () => {
      if (!this.open.has(id)) return;
      this.send({ cancel: id }, slice);
      finish();
    };
    return { cancel, done };
  }
}
