// The worked example: one text that came with the page; nothing is stored, each choice is answered.

import { say } from "./words.js";

const ALIKE = 0.5;

export class Practice {
  #text;
  #answers = new Map();
  #candidates;
  #tries = new Map();

  constructor({ text, language, displays, candidates }) {
    this.#candidates = candidates ?? [];
    const shown = displays.map(({ mention, card, start, end, ...answer }, index) => {
      const display = `0.${index}`;
      this.#answers.set(display, answer);
      const given = { named: null, comment: "", judgment: null };
      return { display, start: utf16(text, start), end: utf16(text, end), mention, card, ...given };
    });
    this.#text = { task: 0, text, language, displays: shown, missing: [] };
    this.outbox = null;
  }

  async overview() {
    return [{ displays: this.#text.displays.length, decided: 0, decisions: {} }];
  }

  async load() {
    return this.#text;
  }

  /**
   * The example brings entries of its own and asks nobody else: what is found, and what is right, does not hang on
   * the study's knowledge base. An address stands for the entry it leads to.
   */
  async search(query, display) {
    const key = keyOf(query);
    const named = this.#candidates.find((candidate) => candidate.key === key);
    const found = key ? [named ?? { key, title: key.replace(/^(wd|w:[a-z-]+):/, "") }] : this.#named(query);
    const { card } = this.#text.displays.find((shown) => shown.display === display);
    const candidates = found.map((candidate) => ({ ...candidate, shown: candidate.key === card.key }));
    // As the server has it: who edits looks for another entity.
    candidates.sort((one, other) => one.shown - other.shown);
    return { status: 200, body: { candidates } };
  }

  /** Entries with all the words, in their beginnings; if there is none, those that are spelt much alike. */
  #named(query) {
    const words = folded(query).split(" ").filter(Boolean);
    const known = this.#candidates.map((candidate) => {
      const said = [candidate.title, candidate.description, ...(candidate.aliases ?? [])].filter(Boolean);
      return [candidate, folded(said.join(" ")).split(" ")];
    });
    const found = known.filter(([, names]) => words.every((word) => names.some((name) => name.startsWith(word))));
    const alike = ([, names]) => words.some((word) => names.some((name) => similarity(word, name) >= ALIKE));
    return (found.length ? found : known.filter(alike)).map(([candidate]) => candidate);
  }

  log() {}

  /** What we would have chosen, and why; after a first miss, that a second try is due. */
  feedback(display, { action, key }) {
    const { answer, right_keys: keys, why } = this.#answers.get(display);
    const same = action === answer && (action !== "edit" || keys.includes(key));
    const tries = this.#tries.get(display) ?? new Set();
    this.#tries.set(display, tries.add(`${action} ${key ?? ""}`));
    if (!same && tries.size < 2) return { same, text: say("try_again") };
    const verdict = same ? say("right") : action === answer ? "" : say("wrong", { action: say(answer) });
    return { same, text: `${verdict} ${why}`.trim() };
  }
}

/** The example's offsets count code points, as all files of a study do; the browser counts UTF-16 units. */
function utf16(text, offset) {
  return [...text].slice(0, offset).join("").length;
}

/** The entry that an address or an identifier names; null if it is a name to search for. */
function keyOf(text) {
  const item = /^(?:wd:)?(Q[1-9]\d*)$|wikidata\.org\/(?:wiki|entity)\/(Q[1-9]\d*)/.exec(text.trim());
  if (item) return `wd:${item[1] ?? item[2]}`;
  const page = /([a-z-]+)\.(?:m\.)?wikipedia\.org\/wiki\/([^?#]+)/.exec(text);
  if (!page) return null;
  try {
    return `w:${page[1]}:${decodeURIComponent(page[2]).replaceAll("_", " ")}`;
  } catch {
    return null;
  }
}

/** A name without accents, case and punctuation. */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** How much two words share of their stretches of two letters, from 0 to 1. */
function similarity(one, other) {
  const [first, second] = [one, other].map((word) => new Set([...word].slice(1).map((_, at) => word.slice(at, at + 2))));
  const shared = [...first].filter((pair) => second.has(pair)).length;
  return shared ? (2 * shared) / (first.size + second.size) : 0;
}
