// A comment on the active highlight, if the worker has something to say: kept when he leaves the box.

export class CommentPane {
  #root;
  #box;
  #onComment;
  #display = null;
  #said = "";

  constructor(root, onComment) {
    this.#root = root;
    this.#box = root?.querySelector("textarea");
    this.#onComment = onComment;
    this.#box?.addEventListener("change", () => this.#keep());
    this.#box?.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#keep();
      document.getElementById("side").focus({ preventScroll: true });
    });
  }

  /** Show what was said on a highlight; what was being written on another is kept first. */
  show(display, text) {
    if (!this.#root) return;
    const writing = this.#box.value.trim() !== this.#said;
    this.#keep();
    // Shown anew while one writes, as when a page comes to the front again: what is written stays.
    if (writing && display === this.#display) return;
    this.#display = display;
    this.#said = this.#box.value = text;
    this.#root.open = Boolean(text);
  }

  open() {
    if (!this.#root) return;
    this.#root.open = true;
    this.#box.focus();
  }

  #keep() {
    const text = this.#box.value.trim();
    if (this.#display === null || text === this.#said) return;
    this.#said = text;
    this.#onComment(this.#display, text);
  }
}
