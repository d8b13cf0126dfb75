// Requests to the server. An answer is {status, body}; no answer (network, time-out, server down) throws.

const PATIENCE = 15_000;

export class Api {
  constructor(base) {
    this.base = base;
  }

  get(path, signal) {
    return this.#ask(path, { method: "GET" }, signal);
  }

  post(path, body, { keepalive = false } = {}) {
    const headers = { "Content-Type": "application/json" };
    return this.#ask(path, { method: "POST", headers, body: JSON.stringify(body), keepalive });
  }

  async #ask(path, options, signal) {
    const late = AbortSignal.timeout(PATIENCE);
    const until = signal ? AbortSignal.any([late, signal]) : late;
    const answer = await fetch(this.base + path, { ...options, signal: until, cache: "no-store" });
    if (answer.status >= 500 || answer.status === 429) throw new Error(`server answered ${answer.status}`);
    return { status: answer.status, body: await answer.json() };
  }
}
