// The worked example: one text that came with the page; nothing is stored, each choice is answered.

import { say } from "./words.js";

export class Practice {
  #api;
  #text;
  #answers = new Map();
  #candidates;

  constructor(api, { text, language, displays, candidates }) {
    this.#api = api;
    this.#candidates = candidates ?? [];
    const shown = displays.map(({ mention, card, start, end, ...answer }, index) => {
      const display = `0.${index}`;
      this.#answers.set(display, answer);
      return { display, start: utf16(text, start), end: utf16(text, end), mention, card, judgment: null };
    });
    this.#text = { task: 0, text, language, displays: shown };
    this.outbox = null;
  }

  async overview() {
    return [{ displays: this.#text.displays.length, decided: 0 }];
  }

  async load() {
    return this.#text;
  }

  /** The example brings entries of its own: the study's knowledge base need not know them. */
  async search(query, _display, signal) {
    const asked = `/search?${new URLSearchParams({ q: query, display: "example" })}`;
    const { status, body } = await this.#api.get(asked, signal);
    const words = query.toLowerCase().split(/\s+/);
    const own = this.#candidates.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
    const known = new Set(own.map(({ key }) => key));
    const others = (body.candidates ?? []).filter(({ key }) => !known.has(key));
    return { status, body: { ...body, candidates: [...own, ...others] } };
  }

  log() {}

  /** What we would have chosen, and why. */
  feedback(display, { action, key }) {
    const { answer, right_keys: keys, why } = this.#answers.get(display);
    const same = action === answer && (action !== "edit" || keys.includes(key));
    const verdict = same ? say("right") : action === answer ? "" : say("wrong", { action: say(answer) });
    return { same, text: `${verdict} ${why}`.trim() };
  }
}

/** The example's offsets count code points, as all files of a study do; the browser counts UTF-16 units. */
function utf16(text, offset) {
  return [...text].slice(0, offset).join("").length;
}
