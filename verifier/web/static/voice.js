// What the page says: to everybody above the text, and to readers of the screen.

import { say } from "./words.js";

const find = (id) => document.getElementById(id);

export class Voice {
  /** What was announced last. */
  announced = "";

  notice(text) {
    find("notice").textContent = text;
    find("notice").hidden = !text;
    this.cover();
  }

  /** Where what is said lies over the text, its highlights keep clear of that. */
  cover() {
    const covered = !find("notice").hidden || find("saving").dataset.state === "lost";
    find("desk").classList.toggle("covered", covered);
  }

  announce(text) {
    this.announced = text.trim();
    find("live").textContent = this.announced;
  }

  /** That what the page asks for does not come, or that it does again; `awaited` if the worker waits for it. */
  failing(failing, awaited) {
    const begun = !find("desk").hidden;
    const text = say("load_failed");
    if (!begun) {
      find("loading").hidden = !failing;
      find("loading").textContent = text;
    } else if (failing && awaited) this.notice(text);
    else if (!failing && find("notice").textContent === text) this.notice("");
  }
}
