// The worker in Node.
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

export async function begin({ module, url }) {
  const found = module ?? (await WebAssembly.compile(await readFile(url ?? new URL("./emilia.wasm", import.meta.url))));
  const worker = new Worker(new URL("./node-worker.js", import.meta.url));
  worker.postMessage({ start: { module: found } });
  return {
    listen: (take) => {
      worker.on("message", take);
      worker.on("error", (error) => take({ failed: String(error) }));
    },
    post: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}
