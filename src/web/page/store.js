// Games, quiz cards and the boards of the last visit, kept in the browser's database and shared by all tabs; in memory only where the
// browser refuses. A game has a revision: a tab that knows an older one never replaces a newer one.

/** @typedef {"games" | "cards" | "state"} Name */
/** @type {Name[]} */
const TABLES = ["games", "cards", "state"];
const VERSION = 2;
/** Milliseconds between looks at what other tabs wrote. */
const LOOK_AGAIN = 2000;
/** How long a deleted game stays behind its mark, in milliseconds. */
const KEPT_DELETED = 30 * 24 * 3600 * 1000;

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("emilia", VERSION);
    asked.onupgradeneeded = () => {
      // Version 1 has the first two; its games have no revision, which counts as 0.
      for (const name of TABLES) if (!asked.result.objectStoreNames.contains(name)) asked.result.createObjectStore(name, { keyPath: "id" });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error("another tab has an older version of this page"));
  });
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

export class Store {
  /**
   * @param {(fault: string) => void} onFault hears why entries are not kept; "" when all are
   * @param {(ids: Set<string>) => void} onChange hears which games another tab changed
   */
  constructor(onFault, onChange) {
    this.onFault = onFault;
    this.onChange = onChange;
    /** @type {IDBDatabase | undefined} */
    this.base = undefined;
    /** @type {Record<Name, Map<string, any>>} */
    this.tables = { games: new Map(), cards: new Map(), state: new Map() };
    /** Entries that only this tab has. @type {Map<string, [Name, any]>} */
    this.unsaved = new Map();
    /** The number of writes to the database that this tab has seen. */
    this.seen = 0;
    /** @type {BroadcastChannel | undefined} */
    this.channel = undefined;
  }

  /** Reads what is there, and listens to other tabs. */
  async open() {
    try {
      this.base = await open();
      this.base.onversionchange = () => this.refuse("a newer version of this page is open");
      this.base.onclose = () => this.refuse("the browser closed its storage");
      await this.readAll();
      await this.purge();
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
    try {
      this.channel = new BroadcastChannel("emilia");
      this.channel.onmessage = () => this.refresh();
    } catch {
      // The tab reads the database again when it gets the focus.
    }
    addEventListener("focus", () => this.refresh());
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
    // Pages of the disk have no channel in some browsers, and two windows may both be in sight.
    setInterval(() => document.hidden || this.refresh(), LOOK_AGAIN);
  }

  refuse(/** @type {string} */ fault) {
    this.base?.close();
    this.base = undefined;
    this.onFault(fault);
  }

  /** Reads all tables; the games that are new or changed. */
  async readAll() {
    /** @type {Set<string>} */
    const changed = new Set();
    const reading = /** @type {IDBDatabase} */ (this.base).transaction(TABLES);
    const all = await Promise.all(TABLES.map((name) => settled(reading.objectStore(name).getAll())));
    TABLES.forEach((name, at) => {
      const table = this.tables[name];
      for (const each of all[at]) {
        const known = table.get(each.id);
        // What this tab is writing now is newer than what was read.
        const isNewer = name !== "games" || !known || (each.rev ?? 0) > (known.rev ?? 0);
        if (!isNewer || this.unsaved.has(each.id)) continue;
        if (name === "games") changed.add(each.id);
        table.set(each.id, each);
      }
      // Entries that another tab removed for good.
      const ids = new Set(all[at].map((each) => each.id));
      for (const id of table.keys()) if (!ids.has(id) && !this.unsaved.has(id)) table.delete(id);
    });
    this.seen = this.tables.state.get("writes")?.count ?? 0;
    return changed;
  }

  /** Takes in the changes of other tabs. */
  async refresh() {
    if (!this.base) return;
    try {
      const writes = await settled(this.base.transaction("state").objectStore("state").get("writes"));
      if ((writes?.count ?? 0) === this.seen) return;
      const changed = await this.readAll();
      if (changed.size > 0) this.onChange(changed);
    } catch (error) {
      this.onFault(String(error));
    }
  }

  /** Forgets games that were deleted long ago. */
  async purge() {
    const old = [...this.tables.games.values()].filter(({ deleted }) => deleted && deleted < Date.now() - KEPT_DELETED);
    if (old.length === 0) return;
    for (const { id } of old) this.tables.games.delete(id);
    await this.write("games", (table) => old.forEach(({ id }) => table.delete(id)));
  }

  /** The entries; games without the deleted ones. @param {Name} name @returns {any[]} */
  all(name) {
    return [...this.tables[name].values()].filter(({ deleted }) => !deleted);
  }

  get(/** @type {Name} */ name, /** @type {string} */ id) {
    return this.tables[name].get(id);
  }

  /** Keeps entries; those with the same id are replaced. @param {Name} name @param {any[]} entries */
  async put(name, ...entries) {
    for (const each of entries) this.tables[name].set(each.id, each);
    await this.guarded(name, entries, () => this.write(name, (table) => entries.forEach((each) => table.put(each))));
  }

  /**
   * Keeps a game that was made from its revision `rev`. A newer one stays, and comes back: nothing was written then.
   * @param {any} game
   * @returns {Promise<any>}
   */
  async keep(game) {
    const known = this.get("games", game.id);
    const rev = game.rev ?? 0;
    const next = { ...game, rev: rev + 1 };
    if (known && (known.rev ?? 0) !== rev) return known;
    this.tables.games.set(game.id, next);
    /** @type {any} */
    let newer;
    await this.guarded("games", [next], () => this.write("games", (table) => {
      const asked = table.get(game.id);
      asked.onsuccess = () => {
        if (asked.result && (asked.result.rev ?? 0) !== rev) newer = asked.result;
        else table.put(next);
      };
    }));
    if (newer) this.tables.games.set(game.id, newer);
    return newer;
  }

  /** @param {Name} name @param {any[]} entries @param {() => Promise<void>} work */
  async guarded(name, entries, work) {
    try {
      if (!this.base) throw new Error("");
      await work();
      await this.retry();
    } catch (error) {
      for (const each of entries) this.unsaved.set(each.id, [name, each]);
      const fault = error instanceof Error ? error.message : String(error);
      if (fault) this.onFault(fault);
    }
  }

  /** Writes what the browser refused before. */
  async retry() {
    if (this.unsaved.size === 0) return;
    const all = [...this.unsaved.values()];
    for (const name of TABLES) {
      const entries = all.filter(([of]) => of === name).map(([, each]) => each);
      if (entries.length > 0) await this.write(name, (table) => entries.forEach((each) => this.putApart(table, name, each)));
    }
    this.unsaved.clear();
    this.onFault("");
  }

  /** Writes an entry; beside a game that another tab changed meanwhile, as a game of its own. @param {IDBObjectStore} table @param {Name} name @param {any} entry */
  putApart(table, name, entry) {
    if (name !== "games") {
      table.put(entry);
      return;
    }
    const asked = table.get(entry.id);
    asked.onsuccess = () => {
      const isOlder = asked.result && (asked.result.rev ?? 0) >= entry.rev;
      table.put(isOlder ? { ...entry, id: entry.id + Date.now().toString(36) } : entry);
    };
  }

  /** @param {Name} name @param {(table: IDBObjectStore) => void} work @returns {Promise<void>} */
  write(name, work) {
    return new Promise((resolve, reject) => {
      const transaction = /** @type {IDBDatabase} */ (this.base).transaction([name, "state"], "readwrite");
      const state = transaction.objectStore("state");
      const counted = state.get("writes");
      counted.onsuccess = () => {
        const count = (counted.result?.count ?? 0) + 1;
        try {
          work(transaction.objectStore(name));
          // Where a tab is does not concern the others.
          if (name === "state") return;
          state.put({ id: "writes", count });
          // Otherwise another tab wrote in between: its entries are read at the next chance.
          if (count === this.seen + 1) this.seen = count;
        } catch (error) {
          reject(error);
          transaction.abort();
        }
      };
      transaction.oncomplete = () => {
        if (name !== "state") this.channel?.postMessage(name);
        resolve();
      };
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("the browser refused"));
    });
  }
}
