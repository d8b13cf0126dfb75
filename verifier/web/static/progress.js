// How far the work is: of each text, how many of its highlights are decided, and in which way.

import { rest } from "./focus.js";
import { say } from "./words.js";

const find = (id) => document.getElementById(id);

export class Progress {
  #tasks = [];

  /** Begin, or begin again, with what the server has counted. */
  take(tasks) {
    this.#tasks = tasks;
  }

  get texts() {
    return this.#tasks.length;
  }

  /** Everything is decided. */
  get isComplete() {
    return this.#tasks.every((_, task) => this.isDone(task));
  }

  /** How many are decided in which way. */
  get decisions() {
    const sum = (name) => this.#tasks.reduce((so_far, { decisions }) => so_far + (decisions[name] ?? 0), 0);
    return { verified: sum("verify"), edited: sum("edit"), removed: sum("remove") };
  }

  /** Every highlight of a text is decided. */
  isDone(task) {
    const { displays, decided } = this.#tasks[task];
    return decided >= displays;
  }

  /** Count a text anew by how its highlights stand. */
  count(task, displays) {
    const made = displays.flatMap(({ judgment }) => judgment?.decision ?? []);
    const decisions = { verify: 0, edit: 0, remove: 0 };
    for (const decision of made) decisions[decision] += 1;
    Object.assign(this.#tasks[task], { decided: made.length, decisions });
  }

  /** The next text after `task`, and around, with something to decide; null if there is none. */
  nextOpen(task) {
    const order = this.#tasks.map((_, index) => (task + 1 + index) % this.#tasks.length);
    return order.find((index) => !this.isDone(index)) ?? null;
  }

  /** How a text is called, where there are several. */
  name(task) {
    return this.#tasks.length > 1 ? say("text_n", { n: task + 1, total: this.#tasks.length }) : "";
  }

  /** Show where the worker is, and how much is done. */
  show(task) {
    const total = this.#tasks.reduce((sum, { displays }) => sum + displays, 0);
    const done = this.#tasks.reduce((sum, { decided }) => sum + decided, 0);
    const name = this.name(task);
    find("where").textContent = name;
    if (name) document.title = `${name} · ${say("title")}`;
    find("counted").textContent = say("progress", { done, total });
    find("progress").max = total;
    find("progress").value = done;
    rest(find("previous-text"), task === 0);
    rest(find("next-text"), task + 1 >= this.#tasks.length);
    document.querySelector(".turn").hidden = this.#tasks.length < 2;
  }
}
