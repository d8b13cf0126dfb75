// What the page says: to everybody above the text, and to readers of the screen.

import { say } from "./words.js";

const find = (id) => document.getElementById(id);

export class Voice {
  /** What was announced last. */
  announced = "";
  // What a reader of the screen has heard last.
  #heard = "";
  #telling = false;

  /** Tell everybody: shown above the text, and announced. */
  notice(text) {
    find("notice").textContent = text;
    find("notice").hidden = !text;
    if (text) this.announce(text);
    this.cover();
  }

  /** Where what is said lies over the text, its highlights keep clear of that. */
  cover() {
    const timed = find("time") && !find("time").hidden;
    const covered = !find("notice").hidden || timed || find("saving").dataset.state === "lost";
    find("desk").classList.toggle("covered", covered);
  }

  /** Announce; of what is announced at one moment, the last is heard. */
  announce(text) {
    this.announced = text.trim();
    if (!this.#telling) queueMicrotask(() => this.#tell());
    this.#telling = true;
  }

  #tell() {
    this.#telling = false;
    // The same words once more are heard only if something has changed.
    this.#heard = this.announced === this.#heard ? `${this.announced}\u00a0` : this.announced;
    find("live").textContent = this.#heard;
  }

  /** That what the page asks for does not come, or that it does again; `awaited` if the worker waits for it. */
  failing(failing, awaited) {
    const begun = !find("desk").hidden;
    const text = say("load_failed");
    if (!begun) {
      find("loading").hidden = !failing;
      find("loading").textContent = text;
    } else if (failing && awaited && find("notice").textContent !== text) this.notice(text);
    else if (!failing && find("notice").textContent === text) this.notice("");
  }
}
