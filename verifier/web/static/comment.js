// A comment on the active highlight, if the worker has something to say: kept when he leaves the box, when he
// pauses in writing, and when the page is put away or closed.

const PAUSE = 300;
// What no database can hold: halves of letters, as a cut through one leaves them, and NUL.
const UNSTORABLE = /\p{Cs}|\0/gu;

function storable(text) {
  return text.replace(UNSTORABLE, "");
}

export class CommentPane {
  #root;
  #box;
  #onComment;
  #onWriting;
  #display = null;
  #said = "";
  #timer = 0;

  constructor(root, onComment, onWriting) {
    this.#root = root;
    this.#box = root?.querySelector("textarea");
    this.#onComment = onComment;
    this.#onWriting = onWriting;
    if (!root) return;
    this.#box.addEventListener("input", () => this.#pausing());
    this.#box.addEventListener("focus", () => root.scrollIntoView({ block: "nearest" }));
    // Whoever closes the page leaves no box before. Kept here, it is on its way when the page goes.
    for (const kind of ["beforeunload", "pagehide"]) addEventListener(kind, () => this.#keep(), { capture: true });
    document.addEventListener("visibilitychange", () => document.hidden && this.#keep(), { capture: true });
    this.#box.addEventListener("change", () => this.#keep());
    this.#box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#keep();
      document.getElementById("side").focus({ preventScroll: true });
    });
  }

  /** Show what was said on a highlight; what was being written on another is kept first. */
  show(display, text) {
    if (!this.#root) return;
    const writing = storable(this.#box.value).trim() !== this.#said;
    this.#keep();
    // Shown anew while one writes, as when a page comes to the front again: what is written stays.
    if (writing && display === this.#display) return;
    this.#display = display;
    this.#said = this.#box.value = text;
    this.#root.open = Boolean(text);
  }

  /** Something is written that is not kept yet. */
  get isWriting() {
    return this.#display !== null && storable(this.#box.value).trim() !== this.#said;
  }

  open() {
    if (!this.#root) return;
    this.#root.open = true;
    this.#box.focus();
  }

  #pausing() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), PAUSE);
    this.#onWriting();
  }

  #keep() {
    clearTimeout(this.#timer);
    const text = storable(this.#box.value).trim();
    if (this.#display === null || text === this.#said) return;
    this.#said = text;
    this.#onComment(this.#display, text);
  }
}
