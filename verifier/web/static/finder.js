// A search for entities: a combobox that asks as one types, understands pasted addresses and lists what is found.

import { showImage } from "./card.js";
import { endWhole } from "./whole.js";
import { say } from "./words.js";

const PAUSE = 150;
const WAITS = [300, 700, 1500, 3000];
const NIL = { key: "NIL", nil: true };
const ADDRESS = /^\S+\.\S+\/\S|^\S+:\/\//;
const ITEM = /^(?:wd:)?Q\d+$/;

/** A line that says who made an answer's image; of one that was on its way, the server knows once it is there. */
function credit(image, { title, image: address, image_by: by }) {
  const line = document.createElement("li");
  const tell = (made) => {
    line.textContent = `${title}: ${made}`;
    line.hidden = !made;
  };
  tell(by);
  // Of an image that cannot be had, nobody need say who made it.
  image.addEventListener("gone", () => tell(null));
  if (by) return line;
  image.addEventListener("load", async () => {
    const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    if (answer?.status === 200 && answer.headers.get("Content-Type") === "application/json") tell((await answer.json()).image_by);
  });
  return line;
}

/** Whether words are just those that an entity is called by. */
function isCalled({ title, aliases = [] }, words) {
  const plain = (name) => name.normalize("NFC").toLowerCase().replace(/[\s_]+/g, " ").trim();
  return [title, ...aliases].some((name) => plain(name ?? "") === plain(words));
}

export class Finder {
  #box;
  #list;
  #line;
  #template;
  #made;
  #language;
  #search;
  #onChoose;
  #onSay;
  #options = [];
  #at = -1;
  #timer = 0;
  #asked = null;
  #query = "";
  // Enter was pressed on an address before its answer came.
  #entered = false;
  #over = false;
  #whole;

  /** The places of the words, the answers, what is said and who made the images, the form of an answer and the language of its words. */
  constructor({ box, list, line, made, template, language }, { search, onChoose, onSay }) {
    this.#box = box;
    this.#list = list;
    this.#line = line;
    this.#template = template;
    this.#made = made;
    this.#language = language;
    this.#search = search;
    this.#onChoose = onChoose;
    this.#onSay = onSay;
    const parts = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" };
    for (const [name, value] of Object.entries(parts)) box.setAttribute(name, value);
    list.setAttribute("role", "listbox");
    this.#whole = endWhole(list, ".option.nil", ".option-title, .option-description");
    box.addEventListener("input", () => {
      this.#entered = false;
      this.#soon(PAUSE);
    });
    box.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target.closest(".option");
      if (option) this.#choose([...list.children].indexOf(option));
    });
  }

  /** Search for what stands in the box. */
  begin() {
    this.#offer([], null);
    this.#soon(0);
  }

  /** Search no more. */
  end() {
    this.#over = true;
    this.rest();
  }

  /** Ask nothing more and put the list away, until something is typed. */
  rest() {
    clearTimeout(this.#timer);
    this.#asked?.abort();
    this.#options = [];
    this.#at = -1;
    this.#list.replaceChildren();
    this.#list.hidden = true;
    this.#made.hidden = true;
    this.#box.setAttribute("aria-expanded", "false");
    this.#box.removeAttribute("aria-activedescendant");
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
      if (signal.aborted || this.#over) return undefined;
      const found = status === 200 ? body.candidates : [];
      const said = body.message ?? (found.length ? say("found_n", { n: found.length }) : say("found_none"));
      this.#answer(query, found, said);
    } catch {
      if (!signal.aborted && !this.#over) this.#answer(query, [], say("search_failed"));
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
    const items = this.#options.map((candidate, index) => this.#item(candidate, index));
    const images = found.map((candidate, index) => [items[index].querySelector(".option-image"), candidate]).filter(([, { image }]) => image);
    this.#made.querySelector("ul").replaceChildren(...images.map(([image, candidate]) => credit(image, candidate)));
    this.#made.hidden = !images.length;
    // The title stands beside it: a name of its own would be read twice.
    items.forEach((item, index) => showImage(item.querySelector(".option-image"), this.#options[index].image, "", WAITS));
    this.#list.replaceChildren(...items);
    this.#list.hidden = false;
    this.#whole();
    this.#box.setAttribute("aria-expanded", "true");
    this.#move(-1);
    this.#say(said ?? "");
  }

  #item(candidate, index) {
    const item = this.#template.cloneNode(true);
    item.id = `option-${index}`;
    item.classList.toggle("nil", Boolean(candidate.nil));
    item.classList.toggle("shown", Boolean(candidate.shown));
    const title = item.querySelector(".option-title");
    const said = document.createElement("span");
    title.textContent = candidate.nil ? say("nil") : candidate.title;
    said.textContent = candidate.description ?? "";
    if (!candidate.nil) title.lang = said.lang = this.#language;
    const note = candidate.shown ? `${said.textContent && " · "}${say("linked_now")}` : "";
    item.querySelector(".option-description").append(said, note);
    return item;
  }

  #say(said) {
    this.#line.textContent = said;
    if (said) this.#onSay?.(said);
  }

  #key(event) {
    const last = this.#options.length - 1;
    if (event.key === "ArrowDown") this.#move(this.#at >= last ? 0 : this.#at + 1);
    else if (event.key === "ArrowUp") this.#move(this.#at <= 0 ? last : this.#at - 1);
    else if (event.key === "Enter" && !event.isComposing) this.#enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Enter takes the option chosen; without one, the only answer, if it is called just as stands in the box or was
   * named by its address. One that is called otherwise is chosen first, so that it is seen, and taken by Enter again.
   * Who edits looks for another entity: the one shown now is taken so only where it was named by its address.
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
    const only = this.#options.length === 2;
    if (only && (named || (!first.shown && isCalled(first, text)))) return this.#choose(0);
    if (only && !first.shown) this.#move(0);
    if (this.#options.length > 1) this.#say(say(only && first.shown ? "only_shown" : "choose_one"));
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
