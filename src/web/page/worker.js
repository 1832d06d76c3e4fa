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

/** The module: compiled, as packed text, or from its address. */
async function module(/** @type {any} */ { module: given, url }) {
  if (given instanceof WebAssembly.Module) return given;
  if (!given) {
    const found = await fetch(url);
    if (!found.ok) throw new Error(`${url}: ${found.status}`);
    // Hosts that do not know the file's type are fine.
    return WebAssembly.compile(await found.arrayBuffer());
  }
  const packed = await fetch(`data:application/octet-stream;base64,${given}`);
  const stream = /** @type {ReadableStream} */ (packed.body).pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

async function start(/** @type {any} */ source) {
  const compiled = await module(source);
  engine = await load(compiled, (line) => lines.push(line));
  if (!engine.start(32)) throw new Error("memory is short");
  try {
    postMessage({ module: compiled, bytes: engine.size() });
  } catch {
    // A browser that does not hand modules over compiles again.
    postMessage({ bytes: engine.size() });
  }
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
