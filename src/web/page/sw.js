// The page without a network: its files are kept at the first visit, and fetched again when their version changes.
const VERSION = "emilia-/* version */";
const FILES = ["./", "emilia.wasm", "manifest.webmanifest", "icon.svg"];
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)).then(() => worker.skipWaiting()));
});
worker.addEventListener("activate", (/** @type {any} */ event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith("emilia-") && name !== VERSION) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET") return;
  const options = { ignoreSearch: true };
  event.respondWith(caches.match(event.request, options).then((kept) => kept ?? fetch(event.request)));
});
