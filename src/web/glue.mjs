// The module's interface in JavaScript, for pages, workers and Node. See README.md.

/**
 * Compiles and instantiates the module.
 * @param {BufferSource | WebAssembly.Module} source
 * @param {(line: string) => void} onLine takes each line of output, a JSON object
 */
export async function load(source, onLine) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const bytes = (at, length) => new Uint8Array(/** @type {any} */ (engine.memory).buffer, at, length);
  const env = {
    emilia_now: () => performance.now(),
    emilia_line: (at, length) => onLine(decoder.decode(bytes(at, length))),
  };
  const engine = /** @type {any} */ ((await WebAssembly.instantiate(module, { env })).exports);
  return {
    /** Unpacks the weights; false if memory is short. */
    start: (hashMib = 16) => engine.emilia_start(hashMib) === 1,
    /** Sends a request or a call. */
    send: (/** @type {object} */ object) => {
      const text = encoder.encode(JSON.stringify(object));
      const at = engine.emilia_alloc(text.length);
      bytes(at, text.length).set(text);
      engine.emilia_send(at, text.length);
    },
    /** Searches; true if positions are left. */
    run: (milliseconds = Infinity) => engine.emilia_run(milliseconds) === 1,
    /** Bytes of memory. */
    size: () => engine.memory.buffer.byteLength,
  };
}
