// The work in earnest: texts come from the server, every judgment goes to it at once.

import { Outbox } from "./outbox.js";

const WAITS = [500, 1000, 2000, 4000, 8000];

export class Tasks {
  #api;

  constructor(api) {
    this.#api = api;
    this.outbox = new Outbox(api);
    this.feedback = null;
  }

  /** How far each text is; null when the work is no longer open. */
  async overview(onFailure) {
    const { status, body } = await this.#insist("/state", onFailure);
    if (status !== 200 || body.step !== "tasks" || body.state !== "claimed") return null;
    this.outbox.raise(body.sequence);
    return body.tasks.map(({ displays, decided }) => ({ displays, decided }));
  }

  /** A text with its displays as the server has them; null when the work is no longer open. */
  async load(task, onFailure) {
    const { status, body } = await this.#insist(`/tasks/${task}`, onFailure);
    return status === 200 ? body : null;
  }

  search(query, display, signal) {
    return this.#api.get(`/search?${new URLSearchParams({ q: query, display })}`, signal);
  }

  /** Keep what else happened; of no weight, so that it is tried once. */
  log(kind, data) {
    this.#api.post("/events", { events: [{ kind, data }] }, { keepalive: true }).catch(() => {});
  }

  submit() {
    return this.#api.post("/submit", {});
  }

  giveBack() {
    return this.#api.post("/return", {});
  }

  async #insist(path, onFailure) {
    for (let turn = 0; ; turn += 1) {
      try {
        const answer = await this.#api.get(path);
        onFailure?.(false);
        return answer;
      } catch {
        onFailure?.(true);
        await new Promise((done) => setTimeout(done, WAITS[Math.min(turn, WAITS.length - 1)]));
      }
    }
  }
}
