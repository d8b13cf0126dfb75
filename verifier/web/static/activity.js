// Active time on each display: only while the page is in front and somebody is at it.

const IDLE = 30_000;
const SIGNS_OF_LIFE = ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"];

export class Activity {
  #spent = new Map();
  #total = new Map();
  #on = null;
  #since = performance.now();
  #alive = performance.now();

  constructor() {
    for (const kind of SIGNS_OF_LIFE) addEventListener(kind, () => this.#sign(), { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => this.#mark());
  }

  /** From now on, time is spent on `display`. */
  turn(display) {
    this.#mark();
    this.#on = display;
    this.#alive = performance.now();
  }

  /** Seconds spent on `display` since they were last taken. */
  take(display) {
    this.#mark();
    const spent = this.#spent.get(display) ?? 0;
    this.#spent.delete(display);
    return Math.round(spent) / 1000;
  }

  /** Seconds spent on `display` since the page was opened. */
  total(display) {
    this.#mark();
    return (this.#total.get(display) ?? 0) / 1000;
  }

  #sign() {
    this.#mark();
    this.#alive = performance.now();
  }

  #mark() {
    const now = performance.now();
    const until = Math.min(now, this.#alive + IDLE);
    // When the page has just been hidden, the time until now was spent on it still.
    if (this.#on !== null && until > this.#since && !this.#hidden) {
      for (const sum of [this.#spent, this.#total]) sum.set(this.#on, (sum.get(this.#on) ?? 0) + until - this.#since);
    }
    this.#since = now;
    this.#hidden = document.hidden;
  }

  #hidden = document.hidden;
}
