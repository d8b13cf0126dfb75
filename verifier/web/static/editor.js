// Choosing another entity: the search opens for a mention, whose words are searched for at once.

import { Finder } from "./finder.js";
import { say } from "./words.js";

export class Editor {
  #root;
  #search;
  #onChoose;
  #onCancel;
  #onPaste;
  #finder = null;

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

  /** Search for what a mention means; what is found is told in `language`. */
  open(mention, language) {
    const find = (id) => this.#root.querySelector(`#${id}`);
    this.#root.replaceChildren(document.getElementById("editor-template").content.cloneNode(true));
    this.#root.querySelector(".editor-label").textContent = say("search_label", { mention });
    const box = find("search-box");
    box.value = mention.slice(0, 200);
    box.addEventListener("paste", () => this.#onPaste());
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.#onCancel();
    });
    find("search-cancel").addEventListener("click", () => this.#onCancel());
    const template = document.getElementById("option-template").content.firstElementChild;
    this.#finder?.end();
    this.#finder = new Finder(
      { box, list: find("search-list"), line: find("search-said"), made: find("search-made"), template, language },
      {
        search: this.#search,
        onChoose: this.#onChoose,
        onSay: (detail) => this.#root.dispatchEvent(new CustomEvent("said", { detail, bubbles: true })),
      },
    );
    this.#root.hidden = false;
    box.focus();
    box.select();
    this.#finder.begin();
  }

  focus() {
    this.#root.querySelector("#search-box").focus();
  }

  close() {
    this.#finder?.end();
    this.#finder = null;
    this.#root.hidden = true;
    this.#root.replaceChildren();
  }
}
