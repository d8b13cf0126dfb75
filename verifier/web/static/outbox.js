// What was done and is not stored yet: sent in order, again and again until the server has said that it is
// stored. Every judgment has a sequence number, so that sending it twice stores it once.

const SOONEST = 400;
const LATEST = 5_000;
const MOST = 100;
// What goes along as a page is left may hold 64 kB in all, and no server of ours takes much more.
const LONGEST = 16_000;

export class Outbox extends EventTarget {
  #api;
  #entries = [];
  #highest = 0;
  #sending = false;
  #onItsWay = [];
  #failures = 0;
  #timer = 0;
  #closed = false;
  // So many of the next go one by one: among them is one that the server cannot read.
  #singly = 0;

  constructor(api) {
    super();
    this.#api = api;
    addEventListener("online", () => this.#soon(0));
    document.addEventListener("visibilitychange", () => document.hidden && this.#send());
  }

  /** Let nothing go with the page. Called last: a window hears its listeners in their order, and others still put in what they have. */
  guard() {
    addEventListener("pagehide", () => this.#sendAll());
    addEventListener("beforeunload", (event) => {
      if (this.size) event.preventDefault();
    });
  }

  get size() {
    return this.#entries.length;
  }

  /** saved, saving, or lost: the last try failed. */
  get state() {
    if (!this.size) return "saved";
    return this.#failures ? "lost" : "saving";
  }

  /** Numbers go on above what the server holds. */
  raise(highest) {
    this.#highest = Math.max(this.#highest, highest);
  }

  /** Judgments that wait, in order; null stands for an undone one. */
  waiting() {
    return this.#entries.filter(({ path }) => !path).map((entry) => [entry.display, entry.undoes ? null : entry]);
  }

  /** Take in a judgment; what comes back carries its sequence number as long as it lives. */
  judge({ display, action, entity, opened, seconds, title }) {
    const entry = { display, action, entity, opened, seconds, title, sequence: ++this.#highest };
    this.#put(entry);
    return entry;
  }

  /** Take back the judgment that `undoes` stands for. */
  undo(display, undoes) {
    this.#put({ display, undoes });
  }

  /** Send something else in its turn; the server takes it twice as it takes it once. */
  say(path, body) {
    this.#put({ path, body });
  }

  #put(entry) {
    this.#entries.push(entry);
    this.#tell("change");
    this.#soon(0);
  }

  #soon(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), wait);
  }

  async #send() {
    if (this.#sending || this.#closed || !this.size) return;
    this.#sending = true;
    const batch = this.#batch();
    this.#onItsWay = batch;
    let answer = null;
    try {
      answer = await this.#post(batch);
      this.#failures = 0;
    } catch {
      this.#failures += 1;
    }
    this.#sending = false;
    this.#onItsWay = [];
    if (answer) this.#settle(batch, answer);
    this.#tell("change");
    if (this.#closed || !this.size) return;
    const wait = Math.min(LATEST, SOONEST * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#soon(answer ? 0 : wait);
  }

  /** The page goes: nobody waits for answers any more. What is on its way already is not sent once more. */
  #sendAll() {
    if (this.#closed) return;
    let rest = this.#entries.filter((entry) => !this.#onItsWay.includes(entry));
    while (rest.length) {
      const batch = this.#batch(rest);
      this.#post(batch).catch(() => {});
      rest = rest.slice(batch.length);
    }
  }

  /** The longest run from the front that one request can carry. */
  #batch(entries = this.#entries) {
    if (entries[0].path) return entries.slice(0, 1);
    const undoing = Boolean(entries[0].undoes);
    let letters = 0;
    const fits = (entry) => (letters += 150 + (entry.entity?.length ?? 0)) <= LONGEST;
    const other = entries.findIndex((entry, at) => entry.path || Boolean(entry.undoes) !== undoing || (!fits(entry) && at > 0));
    return entries.slice(0, Math.min(other < 0 ? entries.length : other, this.#singly ? 1 : MOST));
  }

  #post(batch) {
    if (batch[0].path) return this.#api.post(batch[0].path, batch[0].body, { keepalive: true });
    if (batch[0].undoes) {
      const events = batch.map(({ display, undoes }) => ({
        kind: "undo",
        data: { display, sequence: undoes.sequence },
      }));
      return this.#api.post("/events", { events }, { keepalive: true });
    }
    const judgments = batch.map(({ sequence, display, action, entity, opened, seconds }) => ({
      sequence,
      display,
      action,
      entity,
      opened,
      seconds,
    }));
    return this.#api.post("/judgments", { judgments }, { keepalive: true });
  }

  #settle(batch, { status, body }) {
    this.#singly = Math.max(this.#singly - 1, 0);
    if (status === 200) {
      this.#drop(batch);
      for (const saved of Array.isArray(body.saved) ? body.saved : []) this.#tell("saved", saved);
    } else if (status === 409 && body.error === "conflict") {
      this.#renumber(body);
      this.#tell("conflict");
    } else if (status === 400 && batch.length > 1) {
      this.#singly = batch.length;
    } else if (status === 422 || status === 400) {
      const bad = batch.filter((entry) => status === 400 || entry.display === body.display);
      this.#drop(bad.length ? bad : batch);
      for (const entry of bad) entry.refused = true;
      // What was never stored cannot be taken back, and need not be.
      this.#drop(this.#entries.filter((entry) => bad.includes(entry.undoes)));
      for (const entry of bad) if (!entry.path) this.#tell("refused", { display: entry.display, reason: body.message });
    } else {
      this.#closed = true;
      this.#tell("closed");
    }
  }

  /** Another tab took our numbers: what is stored is done, the rest goes on above the highest. */
  #renumber({ saved, sequence }) {
    const done = new Set(saved.map((one) => one.sequence));
    this.#entries = this.#entries.filter((entry) => entry.undoes || entry.path || !done.has(entry.sequence));
    this.raise(sequence);
    for (const entry of this.#entries) {
      if (!entry.undoes && !entry.path) entry.sequence = ++this.#highest;
    }
  }

  #drop(entries) {
    this.#entries = this.#entries.filter((entry) => !entries.includes(entry));
  }

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
