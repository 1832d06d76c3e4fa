// Small tools to make elements, files and messages.

/** @returns {any} the element with this id */
export const get = (/** @type {string} */ id) => document.getElementById(id);

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {...(string | Node)} content
 * @returns {any}
 */
export function make(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/**
 * @param {string | Node} label
 * @param {string} className
 * @param {(event: MouseEvent) => void} act
 * @returns {HTMLButtonElement}
 */
export function button(label, className, act) {
  const made = make("button", className, label);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** The disc of a side, as small as a letter. */
export const stone = (/** @type {string} */ side) => make("i", `stone ${side}`);

/**
 * A choice from a list.
 * @param {string} id
 * @param {[string, string][]} options value and label
 * @param {string} chosen
 * @param {(value: string) => void} act
 */
export function select(id, options, chosen, act) {
  const made = make("select");
  made.id = id;
  for (const [value, label] of options) {
    const option = make("option", "", label);
    option.value = value;
    made.append(option);
  }
  made.value = chosen;
  made.addEventListener("change", () => act(made.value));
  return made;
}

/** A field under its label. */
export function field(/** @type {string} */ label, /** @type {any} */ control) {
  const made = make("label", "field", make("span", "", label), control);
  return made;
}

/**
 * A table with a head.
 * @param {string} className
 * @param {[string, string][]} heads class and label of each column
 * @param {Node[]} rows
 */
export function table(className, heads, rows) {
  const head = make("tr");
  for (const [name, label] of heads) {
    const cell = make("th", name, label);
    cell.scope = "col";
    head.append(cell);
  }
  return make("table", className, make("thead", "", head), make("tbody", "", ...rows));
}

/** Hands a text or file to the user. */
export function save(/** @type {string} */ name, /** @type {BlobPart} */ content, type = "text/plain") {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** What of `host` has the focus: by its key, else by its place among what can have it. */
const focusable = "button, input, a[href], select, [tabindex]";

/** Replaces what is in `host`; the part that had the focus has it again. @param {HTMLElement} host @param {...(string | Node)} content */
export function fill(host, ...content) {
  const focused = /** @type {any} */ (document.activeElement);
  const hadFocus = focused && focused !== host && host.contains(focused);
  const at = hadFocus ? [...host.querySelectorAll(focusable)].indexOf(focused) : -1;
  const key = hadFocus ? focused.dataset.key : undefined;
  host.replaceChildren(...content);
  if (!hadFocus) return;
  const all = /** @type {any[]} */ ([...host.querySelectorAll(focusable)]);
  const again = all.find((each) => key && each.dataset.key === key) ?? all[Math.min(at, all.length - 1)];
  if (again?.disabled) all.find((each) => !each.disabled)?.focus({ preventScroll: true });
  else again?.focus({ preventScroll: true });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * A message at the edge of the window, with something to do about it.
 * @param {string} text
 * @param {[string, () => void]} [action]
 */
export function say(text, action) {
  const box = get("said");
  box.replaceChildren(make("span", "", text));
  const end = () => {
    box.replaceChildren();
    box.classList.remove("on");
  };
  if (action) {
    box.append(button(action[0], "", () => {
      end();
      action[1]();
    }));
  }
  clearTimeout(fading);
  if (text === "") return end();
  box.classList.add("on");
  fading = setTimeout(end, action ? 8000 : 4500);
  return undefined;
}

/**
 * A question in a window of its own.
 * @param {Node} content
 * @param {[string, string][]} answers value and label; the first is the usual one
 * @returns {Promise<string>} the value, or "" if the window was closed
 */
export function ask(content, answers) {
  return new Promise((resolve) => {
    const form = make("form", "", content);
    const dialog = make("dialog", "card", form);
    form.method = "dialog";
    const row = make("div", "row-buttons");
    answers.forEach(([value, label], place) => {
      const choice = make("button", place === 0 ? "main" : "", label);
      choice.value = value;
      row.append(choice);
    });
    form.append(row);
    dialog.setAttribute("aria-label", form.querySelector("h2")?.textContent ?? answers[0][1]);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Puts a text where the user can paste it from. */
export async function copy(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", "unseen", text);
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  return true;
}

/** A picture of 24 by 24 units from the outline of its strokes. */
export function icon(/** @type {string} */ path) {
  const made = make("span", "icon");
  made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return made;
}
