// The worker in a browser. Bundlers copy the files that `new URL` names.
export async function begin({ module, url }) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const address = url ?? new URL("./emilia.wasm", import.meta.url).href;
  worker.postMessage({ start: { module, url: module ? undefined : String(address) } });
  return {
    listen: (take) => {
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = (event) => take({ failed: event.message ?? "the worker cannot be loaded" });
    },
    post: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}
