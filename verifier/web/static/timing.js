// The time there is for the work: who runs out of it is told in good time, and can have more where the study allows it.

import { toPanel } from "./focus.js";
import { say } from "./words.js";

const EVERY = 1_000;
// Seconds before the end at which it is told, and at which it is told once more.
const WARNINGS = [300, 60];

const find = (id) => document.getElementById(id);

export class Timing {
  #desk;
  #end;
  #told = 0;

  /** `seconds` are left; `more` asks for more of them, and is null where there is none to be had. */
  constructor(desk, seconds, more) {
    this.#desk = desk;
    this.#begin(seconds);
    find("time-more").hidden = !more;
    find("time-more").addEventListener("click", () => this.#ask(more));
    setInterval(() => this.#look(), EVERY);
    this.#look();
  }

  #begin(seconds) {
    // Of the two clocks this is the one that goes on while a computer sleeps.
    this.#end = Date.now() + 1000 * seconds;
    this.#told = 0;
  }

  #look() {
    const left = (this.#end - Date.now()) / 1000;
    const due = this.#desk.isClosed ? 0 : WARNINGS.filter((warning) => left <= warning).length;
    const text = due ? say("time_left", { n: Math.max(1, Math.ceil(left / 60)) }) : "";
    if (find("time-said").textContent !== text) find("time-said").textContent = text;
    this.#show(due > 0);
    if (due > this.#told) this.#desk.announce(text);
    this.#told = due;
  }

  #show(shown) {
    if (find("time").hidden === !shown) return;
    if (find("time").contains(document.activeElement)) toPanel();
    find("time").hidden = !shown;
    this.#desk.cover();
  }

  async #ask(more) {
    const answer = await more().catch(() => null);
    if (!answer) return this.#desk.notice(say("told_busy"));
    if (answer.status !== 200) return this.#desk.close();
    this.#begin(answer.body.seconds_left);
    this.#look();
    return this.#desk.announce(say("time_given", { n: Math.floor(answer.body.seconds_left / 60) }));
  }
}
