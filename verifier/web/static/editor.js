// Choosing another entity: a combobox that searches as one types and understands pasted addresses.

import { showImage } from "./card.js";
import { say } from "./words.js";

const PAUSE = 150;
const WAITS = [300, 700, 1500, 3000];
const NIL = { key: "NIL", nil: true };
const ADDRESS = /^\S+\.\S+\/\S|^\S+:\/\//;
const ITEM = /^(?:wd:)?Q\d+$/;

/** Say who made an answer's image; of one that was on its way, the server knows once it is there. */
function credit(image, { image: address, image_by: by }) {
  if (by) image.title = say("image_by", { by });
  else if (address) {
    image.addEventListener("load", async () => {
      const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
      if (answer?.status === 200 && answer.headers.get("Content-Type") === "application/json") {
        image.title = say("image_by", { by: (await answer.json()).image_by });
      }
    });
  }
}

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
  // Enter was pressed on an address before its answer came.
  #entered = false;
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

  /** Open for a mention; its words are searched for at once. */
  open(mention) {
    this.#query = "";
    this.#entered = false;
    this.#root.replaceChildren(document.getElementById("editor-template").content.cloneNode(true));
    this.#root.querySelector(".editor-label").textContent = say("search_label", { mention });
    const box = this.#box;
    box.setAttribute("aria-controls", "search-list");
    box.value = mention.slice(0, 200);
    box.addEventListener("input", () => {
      this.#entered = false;
      this.#soon(PAUSE);
    });
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
    if (!query) return this.#answer(query, [], null);
    try {
      const { status, body } = await this.#search(query, signal);
      if (signal.aborted || !this.isOpen) return undefined;
      const found = status === 200 ? body.candidates : [];
      const said = body.message ?? (found.length ? say("found_n", { n: found.length }) : say("found_none"));
      this.#answer(query, found, said);
    } catch {
      if (!signal.aborted && this.isOpen) this.#answer(query, [], say("search_failed"));
    }
    return undefined;
  }

  /** What was found is that of `query` from now on, not before. */
  #answer(query, found, said) {
    this.#query = query;
    this.#offer(found, said);
    const entered = this.#entered && found.length > 0;
    this.#entered = false;
    if (entered) this.#enter();
  }

  /** List the candidates, the entity shown now behind the others, "not in the knowledge base" last; say what was found. */
  #offer(found, said) {
    this.#options = [...found, NIL];
    const template = document.getElementById("option-template").content.firstElementChild;
    const items = this.#options.map((candidate, index) => {
      const item = template.cloneNode(true);
      item.id = `option-${index}`;
      item.classList.toggle("nil", Boolean(candidate.nil));
      item.classList.toggle("shown", Boolean(candidate.shown));
      item.querySelector(".option-title").textContent = candidate.nil ? say("nil") : candidate.title;
      // The title stands beside it: a name of its own would be read twice.
      const image = item.querySelector(".option-image");
      credit(image, candidate);
      showImage(image, candidate.image, "", WAITS);
      const notes = [candidate.description, candidate.shown && say("linked_now")];
      item.querySelector(".option-description").textContent = notes.filter(Boolean).join(" · ");
      return item;
    });
    this.#list.replaceChildren(...items);
    this.#box.setAttribute("aria-expanded", "true");
    this.#move(-1);
    this.#say(said ?? "");
  }

  #say(said) {
    const line = this.#root.querySelector("#search-said");
    line.textContent = said;
    line.hidden = !said;
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

  /**
   * Enter takes the option chosen; without one, the only answer to what stands in the box. Who edits looks for
   * another entity: the one shown now is taken so only where it was named by its address.
   */
  #enter() {
    if (this.#at >= 0) return this.#choose(this.#at);
    const text = this.#box.value.trim();
    const named = ADDRESS.test(text) || ITEM.test(text);
    if (text !== this.#query) {
      this.#entered = named;
      return this.#soon(0);
    }
    const [first] = this.#options;
    if (this.#options.length === 2 && (named || !first.shown)) return this.#choose(0);
    if (this.#options.length > 1) this.#say(say(this.#options.length === 2 ? "only_shown" : "choose_one"));
    return undefined;
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
    const { key, title, nil, shown } = this.#options[index];
    // What was pasted is kept as it was given; the server reads it again.
    const entity = !nil && ADDRESS.test(this.#query) ? this.#query : key;
    this.#onChoose({ entity, key, shown, title: nil ? say("nil_title") : title });
  }
}
