// Mentions that nobody highlighted: marked by selecting them in the text, or by typing them as they stand there.

import { say } from "./words.js";

const SHADE = "missing";
const LETTER = /[\p{L}\p{N}]/u;

export class MissingPane {
  #root;
  #text;
  #onMark;
  #view = null;

  /** `onMark` is told of each change: {start, end, withdrawn}; `onDone`, that no more names are missing. */
  constructor(root, text, { onMark, onDone }) {
    this.#root = root;
    this.#text = text;
    this.#onMark = onMark;
    if (!root) return;
    const button = root.querySelector("#missing-add");
    // A press would take the selection away before the click could look at it.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => this.add());
    root.querySelector("#missing-none").addEventListener("click", onDone);
    root.querySelector("#missing-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#typed();
    });
    root.querySelector("#missing-form").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      root.querySelector("#missing-form").hidden = true;
      button.focus();
    });
    root.querySelector("#missing-list").addEventListener("click", (event) => {
      const item = event.target.closest("button")?.closest("li");
      if (item) this.#takeBack([...item.parentElement.children].indexOf(item));
    });
  }

  show(view) {
    if (!this.#root) return;
    // Shown anew while one writes, as when a page comes to the front again: what is typed must not turn into keys.
    if (view.task !== this.#view?.task) {
      this.#root.querySelector("#missing-form").hidden = true;
      this.#root.querySelector("#missing-words").value = "";
      this.#say("");
    }
    this.#view = view;
    this.#list();
  }

  /** Offer to go on, once all highlights of the text are decided. */
  offer(done) {
    if (this.#root) this.#root.querySelector("#missing-none").hidden = !done;
  }

  /** Ask for what is missing before the text goes; false where the study does not ask. */
  ask() {
    if (!this.#root) return false;
    const button = this.#root.querySelector("#missing-none");
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Mark what is selected; without a selection, ask for the words. */
  add() {
    if (!this.#root) return;
    const span = this.#selected();
    if (span) {
      getSelection().removeAllRanges();
      this.#mark(span);
      return;
    }
    const form = this.#root.querySelector("#missing-form");
    form.hidden = false;
    form.querySelector("input").focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }

  /** Words as they stand in the text: their first place that is not marked yet. */
  #typed() {
    const box = this.#root.querySelector("#missing-words");
    const words = box.value.trim();
    if (!words) return;
    const { text, missing } = this.#view;
    if (!text.includes(words)) return this.#say(say("missing_nowhere", { mention: words }));
    const taken = new Set(missing.map(({ start }) => start));
    const places = this.#places(words).filter((place) => !taken.has(place));
    if (!places.length) return this.#say(say("missing_again", { mention: words }));
    box.value = "";
    return this.#mark({ start: places[0], end: places[0] + words.length });
  }

  /** Where words stand: whole words outside of highlights first, then whole words, then all other places. */
  #places(words) {
    const { text, displays } = this.#view;
    const found = [];
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) found.push(at);
    const rank = (at) => {
      const end = at + words.length;
      if (LETTER.test(text.slice(0, at).slice(-1)) || LETTER.test(text[end] ?? "")) return 2;
      return displays.some((one) => one.start < end && at < one.end) ? 1 : 0;
    };
    return found.sort((one, other) => rank(one) - rank(other) || one - other);
  }

  #selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.#text.contains(range.commonAncestorContainer)) return null;
    const before = document.createRange();
    before.setStart(this.#text, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const words = range.toString();
    const start = before.toString().length + words.length - words.trimStart().length;
    const end = start + words.trim().length;
    return start < end ? this.#whole(start, end) : null;
  }

  /** A pointer that slips cuts a word, whose whole is meant; a part of one can be typed. */
  #whole(start, end) {
    const { text, language } = this.#view;
    // Older browsers cannot tell words: there it stays as it was selected.
    if (!Intl.Segmenter) return { start, end };
    const words = new Intl.Segmenter(language, { granularity: "word" }).segment(text);
    const first = words.containing(start);
    const last = words.containing(end - 1);
    return {
      start: first.isWordLike ? first.index : start,
      end: last.isWordLike ? last.index + last.segment.length : end,
    };
  }

  #mark({ start, end }) {
    const { displays, missing, text } = this.#view;
    const mention = text.slice(start, end);
    if (displays.some((one) => one.start === start && one.end === end)) return this.#say(say("missing_not", { mention }));
    if (missing.some((one) => one.start === start && one.end === end)) return this.#say(say("missing_again", { mention }));
    missing.push({ start, end, mention });
    missing.sort((one, other) => one.start - other.start || one.end - other.end);
    this.#onMark({ start, end, withdrawn: false });
    this.#list();
    return this.#say(say("missing_marked", { mention }));
  }

  #takeBack(index) {
    const [{ start, end, mention }] = this.#view.missing.splice(index, 1);
    this.#onMark({ start, end, withdrawn: true });
    this.#list();
    this.#root.querySelector("#missing-add").focus();
    this.#say(say("missing_taken_back", { mention }));
  }

  #list() {
    const template = document.getElementById("missing-template").content.firstElementChild;
    const items = this.#view.missing.map(({ mention }) => {
      const item = template.cloneNode(true);
      item.querySelector(".missing-mention").textContent = mention;
      item.querySelector(".unseen").textContent = ` ${mention}`;
      return item;
    });
    this.#root.querySelector("#missing-list").replaceChildren(...items);
    this.#shade();
  }

  /** Shown in the text without touching it, where the browser can do that. */
  #shade() {
    if (!globalThis.CSS?.highlights) return;
    const ranges = this.#view.missing.map(({ start, end }) => this.#range(start, end)).filter(Boolean);
    CSS.highlights.set(SHADE, new Highlight(...ranges));
  }

  #range(start, end) {
    const range = document.createRange();
    const walker = document.createTreeWalker(this.#text, NodeFilter.SHOW_TEXT);
    let at = 0;
    let begun = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const next = at + node.length;
      if (!begun && start < next) {
        range.setStart(node, start - at);
        begun = true;
      }
      if (begun && end <= next) {
        range.setEnd(node, end - at);
        return range;
      }
      at = next;
    }
    return null;
  }

  #say(text) {
    const line = this.#root.querySelector("#missing-said");
    line.textContent = text;
  }
}
