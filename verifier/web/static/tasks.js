// The work in earnest: texts come from the server, every judgment goes to it at once.

import { Outbox } from "./outbox.js";

const WAITS = [500, 1000, 2000, 4000, 8000];

export class Tasks {
  #api;
  #beginning;

  /** `beginning` came with the page: how the work stood then, and its first text. */
  constructor(api, beginning) {
    this.#api = api;
    this.#beginning = beginning;
    this.outbox = new Outbox(api);
    this.feedback = null;
  }

  /** How far each text is; null when the work is no longer open. */
  async overview(onFailure) {
    const given = this.#beginning?.tasks && { status: 200, body: this.#beginning };
    const { status, body } = given || (await this.#insist("/state", onFailure));
    if (given) this.#beginning = { first: given.body.first };
    if (status !== 200 || body.step !== "tasks" || body.state !== "claimed") return null;
    this.outbox.raise(body.sequence);
    return body.tasks.map(({ displays, decided, decisions }) => ({ displays, decided, decisions }));
  }

  /** A text with its displays as the server has them; null when the work is no longer open. */
  async load(task, onFailure) {
    const first = this.#beginning?.first;
    this.#beginning = null;
    if (first?.task === task) return first;
    const { status, body } = await this.#insist(`/tasks/${task}`, onFailure);
    return status === 200 ? body : null;
  }

  search(query, display, signal) {
    return this.#api.get(`/search?${new URLSearchParams({ q: query, display })}`, signal);
  }

  /** Tell which entity is meant before the link is shown; the answer holds the card. */
  async name(display, entity, seconds, onFailure) {
    const { status, body } = await this.#insist("/name", onFailure, { display, entity, seconds });
    return status === 200 ? body : { refused: body.message };
  }

  comment(display, text) {
    this.outbox.say("/comments", { comments: [{ display, text }] });
  }

  miss(task, span) {
    this.outbox.say("/missing", { missing: [{ task, ...span }] });
  }

  /** Keep what else happened; of no weight, so that it is tried once. */
  log(kind, data) {
    this.#api.post("/events", { events: [{ kind, data }] }, { keepalive: true }).catch(() => {});
  }

  /** As much time again. */
  moreTime() {
    return this.#api.post("/time", {});
  }

  submit() {
    return this.#api.post("/submit", {});
  }

  giveBack() {
    return this.#api.post("/return", {});
  }

  async #insist(path, onFailure, sent = null) {
    for (let turn = 0; ; turn += 1) {
      try {
        const answer = await (sent ? this.#api.post(path, sent) : this.#api.get(path));
        onFailure?.(false);
        return answer;
      } catch {
        onFailure?.(true);
        await new Promise((done) => setTimeout(done, WAITS[Math.min(turn, WAITS.length - 1)]));
      }
    }
  }
}
