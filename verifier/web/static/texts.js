// The texts that have come from the server, with what is on its way to it laid over them.

export class Texts {
  #work;
  #views = new Map();
  #onFailure;
  #onText;

  /** `onFailure` is told that a text does not come, or does again; `onText`, its number and its displays. */
  constructor(work, onFailure, onText) {
    this.#work = work;
    this.#onFailure = onFailure;
    this.#onText = onText;
  }

  /** A text that has come. */
  at(task) {
    return this.#views.get(task);
  }

  clear() {
    this.#views.clear();
  }

  /** What waits to be stored, by display. */
  get waiting() {
    return this.#work.outbox?.waiting() ?? [];
  }

  /** The text that a display stands in, and its place there. */
  locate(display) {
    const view = this.#views.get(taskOf(display));
    const index = view ? view.displays.findIndex((one) => one.display === display) : -1;
    return index < 0 ? [null, -1] : [view, index];
  }

  /** A text; null when the work is no longer open. */
  async load(task) {
    if (this.#views.has(task)) return this.#views.get(task);
    // What was on its way when we asked may be neither in the answer nor on its way any more.
    const before = this.waiting;
    const view = await this.#work.load(task, this.#onFailure);
    if (!view) return null;
    if (this.#views.has(task)) return this.#views.get(task);
    for (const shown of view.displays) {
      if (shown.judgment) shown.judgment = { ...shown.judgment, sent: { sequence: shown.judgment.sequence } };
    }
    for (const [display, entry] of [...before, ...this.waiting]) {
      if (entry?.refused) continue;
      const shown = view.displays.find((one) => one.display === display);
      if (shown) shown.judgment = entry && { decision: entry.action, key: entry.entity, title: entry.title, sent: entry };
    }
    this.#views.set(task, view);
    this.#onText(task, view.displays);
    return view;
  }
}

/** The number of the text that a display stands in. */
export function taskOf(display) {
  return Number(display.split(".")[0]);
}
