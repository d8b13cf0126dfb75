// Whether what is shown can have been read by the time something is pressed.

// Milliseconds in which nobody can have read a highlight and its card: the second stroke of a double one comes
// within them, an answer to what one sees does not.
const GLANCE = 200;
// The same for what came by itself, a text or a link, where one was busy with what was there before.
const UNREAD = 300;
// Where nothing is drawn, as in a frame out of sight that is read aloud, it counts as drawn after this.
const UNDRAWN = 500;

export class Sight {
  #shown = null;
  #seen = new Set();
  #turn = 0;
  #drawn = Infinity;
  #wait = GLANCE;

  /** A highlight is shown; one that was in sight before need not be read again. */
  turn(display) {
    if (display === this.#shown) return;
    if (this.#age >= GLANCE) this.#seen.add(this.#shown);
    this.#shown = display;
    this.#draw(this.#seen.has(display) ? 0 : GLANCE);
  }

  /** What is shown came by itself; what is pressed at once was meant for what was there before. */
  came() {
    this.#draw(UNREAD);
  }

  /** The worker has dealt with what is shown. */
  dealt() {
    this.#wait = 0;
  }

  /** What is shown has been in sight for long enough to be judged. */
  get isRead() {
    return !this.#wait || this.#age >= this.#wait;
  }

  get #age() {
    return performance.now() - this.#drawn;
  }

  /** Time counts from when the screen shows it: two keys may come in before that. */
  #draw(wait) {
    this.#turn += 1;
    this.#wait = wait;
    this.#drawn = Infinity;
    const turn = this.#turn;
    const drawn = () => {
      if (turn === this.#turn && this.#drawn === Infinity) this.#drawn = performance.now();
    };
    requestAnimationFrame(drawn);
    setTimeout(drawn, UNDRAWN);
  }
}
