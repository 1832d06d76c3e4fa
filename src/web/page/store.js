// Games and quiz cards, kept in the browser's database; in memory only where the browser refuses.

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("emilia", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("games", { keyPath: "id" });
      asked.result.createObjectStore("cards", { keyPath: "id" });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error("blocked"));
  });
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

export class Store {
  constructor() {
    /** @type {IDBDatabase | undefined} */
    this.base = undefined;
    /** @type {Record<string, Map<string, any>>} */
    this.tables = { games: new Map(), cards: new Map() };
  }

  /** Reads what is there. False if nothing will be kept. */
  async open() {
    try {
      this.base = await open();
      for (const [name, table] of Object.entries(this.tables)) {
        const all = await settled(this.base.transaction(name).objectStore(name).getAll());
        for (const each of all) table.set(each.id, each);
      }
      return true;
    } catch {
      return false;
    }
  }

  all(/** @type {"games" | "cards"} */ name) {
    return [...this.tables[name].values()];
  }

  get(/** @type {"games" | "cards"} */ name, /** @type {string} */ id) {
    return this.tables[name].get(id);
  }

  /** Keeps entries; those with the same id are replaced. */
  async put(/** @type {"games" | "cards"} */ name, /** @type {any[]} */ ...entries) {
    for (const each of entries) this.tables[name].set(each.id, each);
    await this.write(name, (table) => entries.forEach((each) => table.put(each)));
  }

  async remove(/** @type {"games" | "cards"} */ name, /** @type {string} */ id) {
    this.tables[name].delete(id);
    await this.write(name, (table) => table.delete(id));
  }

  /** @param {string} name @param {(table: IDBObjectStore) => void} work @returns {Promise<void>} */
  write(name, work) {
    return new Promise((resolve, reject) => {
      if (!this.base) return resolve();
      const transaction = this.base.transaction(name, "readwrite");
      work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
      return undefined;
    });
  }
}
