// Requests to the server. An answer is {status, body}; no answer (network, time-out, server down) throws, and so does
// one that is not this study's own: a hotel's page of entry, or what stands before a server, answers for it too.

const PATIENCE = 15_000;

export class Api {
  /** The address of what is asked for, and the mark of the study that every answer bears. */
  constructor(base, study) {
    this.base = base;
    this.study = study;
  }

  get(path, signal) {
    return this.#ask(path, { method: "GET" }, signal);
  }

  post(path, body, { keepalive = false } = {}) {
    const headers = { "Content-Type": "application/json" };
    return this.#ask(path, { method: "POST", headers, body: JSON.stringify(body), keepalive });
  }

  async #ask(path, options, signal) {
    // Older browsers can neither join signals nor time one.
    const until = new AbortController();
    const late = setTimeout(() => until.abort(), PATIENCE);
    signal?.addEventListener("abort", () => until.abort());
    if (signal?.aborted) until.abort();
    try {
      const answer = await fetch(this.base + path, { ...options, signal: until.signal, cache: "no-store" });
      if (answer.status >= 500 || answer.status === 429) throw new Error(`server answered ${answer.status}`);
      if (answer.headers.get("Posthoc-Study") !== this.study) throw new Error("another server answered");
      return { status: answer.status, body: await answer.json() };
    } finally {
      clearTimeout(late);
    }
  }
}
