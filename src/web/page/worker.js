// The worker: runs the engine in slices, and reads messages in between.
import { load } from "../glue.mjs";

/** The longest slice while a user waits for an answer to a click, in milliseconds. */
const LONGEST = 200;
/** @type {Awaited<ReturnType<typeof load>> | undefined} */
let engine;
/** @type {string[]} */
let lines = [];
let busy = false;
let slice = 30;
let since = 0;
const next = new MessageChannel();

function flush() {
  if (lines.length > 0) postMessage({ lines });
  lines = [];
}

/** A fault of the engine ends this worker; the page starts another one. */
function guarded(/** @type {() => void} */ work) {
  try {
    work();
  } catch (error) {
    flush();
    postMessage({ failed: String(error) });
  }
  flush();
}

next.port1.onmessage = () => guarded(() => {
  // A search that goes on for long loses less in longer slices.
  const grown = Math.min(LONGEST, (performance.now() - since) / 20);
  busy = engine !== undefined && engine.run(Math.max(slice, grown));
  if (busy) next.port2.postMessage(0);
});

/** Turns parts of a base64 text into bytes. */
function fromBase64() {
  let rest = "";
  return new TransformStream({
    transform(/** @type {string} */ part, out) {
      const text = rest + part;
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      const letters = atob(text.slice(0, whole));
      const bytes = new Uint8Array(letters.length);
      for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
      out.enqueue(bytes);
    },
  });
}

/** The module: compiled, as packed text, or from its address. Parts are compiled as they come, so that no copy of the whole is kept. */
async function module(/** @type {any} */ { module: given, url }) {
  if (given instanceof WebAssembly.Module) return given;
  const found = given ? undefined : await fetch(url);
  if (found && !found.ok) throw new Error(`${url}: ${found.status}`);
  const stream = found ? found.body : given.stream().pipeThrough(new TextDecoderStream()).pipeThrough(fromBase64())
    .pipeThrough(new DecompressionStream("gzip"));
  // Some hosts do not know the file's type.
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
}

async function start(/** @type {any} */ source) {
  const compiled = await module(source);
  if (compiled !== source.module) {
    try {
      return postMessage({ module: compiled });
    } catch {
      // This browser does not hand modules over: each worker compiles its own.
    }
  }
  engine = await load(compiled, (line) => lines.push(line));
  if (!engine.start(16)) throw new Error("memory is short");
  return postMessage({ bytes: engine.size() });
}

onmessage = ({ data }) => {
  if (data.start) {
    start(data.start).catch((error) => postMessage({ failed: String(error?.message ?? error) }));
    return;
  }
  guarded(() => {
    if (!engine) return;
    slice = data.slice;
    since = performance.now();
    engine.send(data.send);
    if (!busy) {
      busy = true;
      next.port2.postMessage(0);
    }
  });
};
