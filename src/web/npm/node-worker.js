// Gives a thread of Node the names of a browser's worker.
import { parentPort } from "node:worker_threads";

globalThis.onmessage = undefined;
globalThis.postMessage = (message) => parentPort.postMessage(message);
// A port of Node's takes a thousand messages of its own before those of another port: a cancel would come too late.
globalThis.MessageChannel = class {
  port1 = { onmessage: undefined };
  port2 = { postMessage: (data) => setImmediate(() => this.port1.onmessage({ data })) };
};
await import("./worker.js");
parentPort.on("message", (data) => globalThis.onmessage({ data }));
