// Choosing another entity: a combobox that searches as one types and understands pasted addresses.

import { showImage } from "./card.js";
import { say } from "./words.js";

const PAUSE = 150;
const NIL = { key: "NIL", nil: true };

export class Editor {
  #root;
  #search;
  #onChoose;
  #onCancel;
  #options = [];
  #at = -1;
  #timer = 0;
  #asked = null;
  #query = "";
  #shown = null;
  #onPaste;

  constructor(root, { search, onChoose, onCancel, onPaste }) {
    this.#root = root;
    this.#search = search;
    this.#onPaste = onPaste;
    this.#onChoose = onChoose;
    this.#onCancel = onCancel;
  }

  get isOpen() {
    return !this.#root.hidden;
  }

  /** Open for a mention linked to `shown`; its words are searched for at once. */
  open(mention, shown) {
    this.#shown = shown;
    this.#root.replaceChildren(document.getElementById("editor-template").content.cloneNode(true));
    this.#root.querySelector(".editor-label").textContent = say("search_label", { mention });
    const box = this.#box;
    box.setAttribute("aria-controls", "search-list");
    box.value = mention.slice(0, 200);
    box.addEventListener("input", () => this.#soon(PAUSE));
    box.addEventListener("paste", () => this.#onPaste());
    box.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => {
      const option = event.target.closest(".option");
      if (option) this.#choose([...this.#list.children].indexOf(option));
    });
    this.#root.querySelector("#search-cancel").addEventListener("click", () => this.#onCancel());
    this.#root.hidden = false;
    box.focus();
    box.select();
    this.#offer([], null);
    this.#soon(0);
  }

  close() {
    clearTimeout(this.#timer);
    this.#asked?.abort();
    this.#root.hidden = true;
    this.#root.replaceChildren();
  }

  get #box() {
    return this.#root.querySelector("#search-box");
  }

  get #list() {
    return this.#root.querySelector("#search-list");
  }

  #soon(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), wait);
  }

  async #ask() {
    this.#asked?.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    const query = this.#box.value.trim();
    this.#query = query;
    if (!query) return this.#offer([], null);
    try {
      const { status, body } = await this.#search(query, signal);
      if (signal.aborted || !this.isOpen) return undefined;
      const found = status === 200 ? body.candidates : [];
      this.#offer(found, body.message ?? (found.length ? say("found_n", { n: found.length }) : say("found_none")));
    } catch {
      if (!signal.aborted && this.isOpen) this.#offer([], say("search_failed"));
    }
    return undefined;
  }

  /** List the candidates, "not in the knowledge base" below them, and say what was found. */
  #offer(found, said) {
    this.#options = [...found, NIL];
    const template = document.getElementById("option-template").content.firstElementChild;
    const items = this.#options.map((candidate, index) => {
      const item = template.cloneNode(true);
      item.id = `option-${index}`;
      item.classList.toggle("nil", Boolean(candidate.nil));
      item.querySelector(".option-title").textContent = candidate.nil ? say("nil") : candidate.title;
      // The title stands beside it: a name of its own would be read twice.
      showImage(item.querySelector(".option-image"), candidate.image, "");
      const notes = [candidate.description, candidate.key === this.#shown && say("linked_now")];
      item.querySelector(".option-description").textContent = notes.filter(Boolean).join(" · ");
      return item;
    });
    this.#list.replaceChildren(...items);
    this.#box.setAttribute("aria-expanded", "true");
    const line = this.#root.querySelector("#search-said");
    line.textContent = said ?? "";
    line.hidden = !said;
    this.#move(-1);
    if (said) this.#root.dispatchEvent(new CustomEvent("said", { detail: said, bubbles: true }));
  }

  #key(event) {
    const last = this.#options.length - 1;
    if (event.key === "ArrowDown") this.#move(this.#at >= last ? 0 : this.#at + 1);
    else if (event.key === "ArrowUp") this.#move(this.#at <= 0 ? last : this.#at - 1);
    else if (event.key === "Escape") this.#onCancel();
    else if (event.key === "Enter" && !event.isComposing) this.#enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Enter takes the option chosen; without one, the only answer to what stands in the box. */
  #enter() {
    const current = this.#box.value.trim() === this.#query;
    if (this.#at >= 0) this.#choose(this.#at);
    else if (current && this.#options.length === 2) this.#choose(0);
    else {
      if (!current) this.#soon(0);
      const line = this.#root.querySelector("#search-said");
      if (current && this.#options.length > 2) line.textContent = say("choose_one");
    }
  }

  #move(index) {
    this.#at = index;
    [...this.#list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === index)));
    if (index < 0) this.#box.removeAttribute("aria-activedescendant");
    else {
      this.#box.setAttribute("aria-activedescendant", `option-${index}`);
      this.#list.children[index].scrollIntoView({ block: "nearest" });
    }
  }

  #choose(index) {
    const { key, title, nil } = this.#options[index];
    // What was pasted is kept as it was given; the server reads it again.
    const entity = !nil && /^\S+\.\S+\/\S|^\S+:\/\//.test(this.#query) ? this.#query : key;
    this.#onChoose({ entity, key, title: nil ? say("nil_title") : title });
  }
}
