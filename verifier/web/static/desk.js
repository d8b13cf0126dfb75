// The desk: one text, one active highlight, one card, three actions. What happens to a judgment is the
// business of the `work` behind it (in earnest: tasks.js; for practice: practice.js).

import { Activity } from "./activity.js";
import { CardPane } from "./card.js";
import { CommentPane } from "./comment.js";
import { Editor } from "./editor.js";
import { ListPane } from "./list.js";
import { MissingPane } from "./missing.js";
import { TextPane } from "./text.js";
import { say } from "./words.js";

const find = (id) => document.getElementById(id);

export class Desk {
  #work;
  #options;
  #tasks = [];
  #views = new Map();
  #task = 0;
  #at = 0;
  #done = [];
  #opened = new Set();
  #activity = new Activity();
  #text = new TextPane(find("text"), (index) => this.activate(index));
  #list = new ListPane(find("list"), (index) => this.activate(index));
  #card = new CardPane(find("card"), () => this.#open());
  #comment = new CommentPane(
    find("comment"),
    (display, text) => this.#say(display, text),
    () => dispatchEvent(new Event("desk")),
  );
  #missing = new MissingPane(find("missing"), find("text"), (span) => this.#work.miss(this.#task, span));
  #editor;
  #closed = false;
  #turning = 0;

  /** `options` are the study's: require_open, verify_after_seconds. */
  constructor(work, options) {
    this.#work = work;
    this.#options = options;
    this.#editor = new Editor(find("editor"), {
      search: (query, signal) => work.search(query, this.#display.display, signal),
      onChoose: (candidate) => (this.#display.card ? this.#decide("edit", candidate) : this.#name(candidate)),
      onCancel: () => this.#leaveEditor(),
      onPaste: () => work.log("paste", { display: this.#display.display }),
    });
    find("editor").addEventListener("said", ({ detail }) => this.#announce(detail));
  }

  /** Everything is decided. */
  get isComplete() {
    return this.#tasks.every(({ displays, decided }) => displays === decided);
  }

  /** A comment is being written that is not kept yet. */
  get isWriting() {
    return this.#comment.isWriting;
  }

  /** How many are decided in which way. */
  get decisions() {
    const sum = (name) => this.#tasks.reduce((so_far, { decisions }) => so_far + (decisions[name] ?? 0), 0);
    return { verified: sum("verify"), edited: sum("edit"), removed: sum("remove") };
  }

  get isClosed() {
    return this.#closed;
  }

  /** Begin, or begin again with what the server has; stays where it was. */
  async sync() {
    const before = this.#waiting();
    const tasks = await this.#work.overview((failing) => this.#failing(failing));
    if (!tasks) return this.close();
    const first = !this.#tasks.length;
    this.#tasks = tasks;
    this.#views.clear();
    // The counts of the server lack what was on its way when it answered: texts that it concerns are counted here.
    const waiting = [...before, ...this.#waiting()].map(([display]) => taskOf(display));
    await Promise.all([...new Set(waiting)].map((task) => this.#load(task)));
    const open = tasks.findIndex(({ displays, decided }) => decided < displays);
    await this.#show(first ? Math.max(open, 0) : this.#task, first ? null : this.#at);
  }

  /** No more can be done here. */
  close() {
    this.#closed = true;
    find("late")?.remove();
    find("loading").hidden = true;
    find("desk").hidden = false;
    this.#editor.close();
    this.#notice(say("closed"));
    for (const button of document.querySelectorAll("#actions button, #undo")) button.disabled = true;
  }

  /** Make a highlight of this text the active one. */
  activate(index) {
    if (this.#editor.isOpen) this.#leaveEditor(false);
    this.#at = index;
    const shown = this.#display;
    if (!shown) return;
    this.#activity.turn(shown.display);
    this.#text.activate(index);
    this.#list.activate(index);
    this.#comment.show(shown.display, shown.comment);
    this.#face();
    this.#refresh();
    this.#feedback();
    const { mention, card } = shown;
    this.#announce(card ? say("active", { mention, title: card.title }) : say("active_hidden", { mention }));
  }

  verify() {
    const first = this.#display && this.#firstOf(this.#display);
    if (!first) return this.#decide("verify");
    this.#notice(first);
    return this.#announce(first);
  }

  edit() {
    if (this.#closed || this.#turning) return;
    find("actions").hidden = true;
    find("side").classList.add("choosing");
    find("side").classList.remove("answered");
    find("feedback").hidden = true;
    this.#editor.open(this.#display.mention, this.#display.card?.key);
    this.#text.reveal(this.#at);
  }

  remove() {
    this.#decide("remove");
  }

  open() {
    this.#card.open();
  }

  comment() {
    if (!this.#closed) this.#comment.open();
  }

  missing() {
    if (!this.#closed) this.#missing.add();
  }

  next() {
    if (this.#at + 1 < this.#view.displays.length) this.activate(this.#at + 1);
    else this.nextText();
  }

  previous() {
    if (this.#at > 0) this.activate(this.#at - 1);
    else this.previousText(-1);
  }

  nextText() {
    if (this.#task + 1 < this.#tasks.length) this.#show(this.#task + 1);
  }

  previousText(at = null) {
    if (this.#task > 0) this.#show(this.#task - 1, at);
  }

  /** On to the next highlight that is not decided, in this text or another. */
  undecided() {
    const here = this.#nextOpen();
    if (here !== null) return this.activate(here);
    const order = this.#tasks.map((_, index) => (this.#task + 1 + index) % this.#tasks.length);
    const task = order.find((index) => this.#tasks[index].decided < this.#tasks[index].displays);
    if (task !== undefined) return this.#show(task);
    find("submit")?.focus();
    return this.#announce(say("all_done"));
  }

  /** Take back what was done last; what stood before stands again. */
  async undo() {
    const last = this.#done.pop();
    if (!last || this.#closed) return this.#announce(say("nothing_to_undo"));
    if (last.task !== this.#task) await this.#show(last.task, last.at);
    const shown = this.#view.displays[last.at];
    if (last.before) this.#put(last.at, last.before.decision, last.before);
    else {
      this.#work.outbox?.undo(shown.display, shown.judgment.sent);
      this.#set(last.at, null);
    }
    this.activate(last.at);
    return this.#announce(say("undone", { mention: shown.mention, state: words(shown.judgment) }));
  }

  /** What the server says of a judgment that it has stored. */
  saved({ display, sequence, decision, title }) {
    const [view, index] = this.#locate(display);
    const judgment = view?.displays[index].judgment;
    if (!judgment || judgment.sent.sequence !== sequence) return;
    if (judgment.decision !== decision) {
      this.#notice(say("same_as_shown"));
      this.#announce(say("same_as_shown"));
    }
    view.displays[index].judgment = { ...judgment, decision, title };
    if (view === this.#view) this.#refresh();
  }

  /** A judgment that the server did not take: the highlight is open again. */
  async refused({ display, reason }) {
    this.#done = this.#done.filter((one) => one.display !== display);
    await this.sync();
    await this.#show(taskOf(display));
    const [view, index] = this.#locate(display);
    if (view === this.#view && index >= 0) this.activate(index);
    this.#notice(say("refused", { reason }));
    this.#announce(say("refused", { reason }));
  }

  notice(text) {
    this.#notice(text);
  }

  get #view() {
    return this.#views.get(this.#task);
  }

  get #display() {
    return this.#view?.displays[this.#at];
  }

  async #show(task, at = null) {
    if (this.#editor.isOpen) this.#leaveEditor(false);
    // What is pressed until the other text is there must not decide on this one.
    this.#turning += 1;
    const view = await this.#load(task).finally(() => {
      this.#turning -= 1;
    });
    if (!view) return this.close();
    if (this.#turning) return undefined;
    const other = task !== this.#task;
    this.#task = task;
    this.#text.show(view);
    this.#list.show(view.displays);
    this.#missing.show(view);
    find("late")?.remove();
    find("loading").hidden = true;
    find("desk").hidden = false;
    if (other) this.#text.fromTheTop();
    this.#at = 0;
    const open = this.#nextOpen(-1);
    this.activate(at === null ? (open ?? 0) : at < 0 ? view.displays.length - 1 : Math.min(at, view.displays.length - 1));
    if (task + 1 < this.#tasks.length) this.#load(task + 1);
    return undefined;
  }

  /** A text, with what is on its way to the server laid over what the server has. */
  async #load(task) {
    if (this.#views.has(task)) return this.#views.get(task);
    // What was on its way when we asked may be neither in the answer nor on its way any more.
    const before = this.#waiting();
    const view = await this.#work.load(task, (failing) => this.#failing(failing));
    if (!view) return null;
    if (this.#views.has(task)) return this.#views.get(task);
    for (const shown of view.displays) {
      if (shown.judgment) shown.judgment = { ...shown.judgment, sent: { sequence: shown.judgment.sequence } };
    }
    for (const [display, entry] of [...before, ...this.#waiting()]) {
      if (entry?.refused) continue;
      const shown = view.displays.find((one) => one.display === display);
      if (shown) shown.judgment = entry && { decision: entry.action, key: entry.entity, title: entry.title, sent: entry };
    }
    this.#views.set(task, view);
    this.#count(task);
    return view;
  }

  #waiting() {
    return this.#work.outbox?.waiting() ?? [];
  }

  #decide(action, candidate = null) {
    if (this.#closed || this.#turning || !this.#display) return;
    if (this.#editor.isOpen) {
      this.#leaveEditor(false);
      find("side").focus({ preventScroll: true });
    }
    const { display, judgment } = this.#display;
    this.#notice("");
    if (candidate || judgment?.decision !== action) {
      this.#done.push({ task: this.#task, at: this.#at, display, before: judgment });
      this.#put(this.#at, action, candidate);
    }
    const said = { verify: "now_verified", edit: "now_edited", remove: "now_removed" }[action];
    const message = say(said, { title: candidate?.title });
    if (this.#work.feedback) {
      this.#refresh();
      this.#feedback();
      return this.#announce(`${message} ${find("feedback").textContent}`);
    }
    const open = this.#nextOpen();
    if (open !== null) this.activate(open);
    else this.#refresh();
    if (this.isComplete) find("submit").scrollIntoView({ block: "nearest" });
    const end = this.isComplete ? say("all_done") : open === null ? say("text_done") : "";
    return this.#announce([message, end || this.#announced].join(" "));
  }

  /** What has to be done before the link can be verified; null if nothing. */
  #firstOf({ display, card }) {
    if (!card) return say("name_first");
    const { require_open: opening, verify_after_seconds: wanted } = this.#options;
    const rest = Math.ceil((wanted || 0) - this.#activity.total(display));
    const opened = !card.url || this.#opened.has(display);
    if ((opening && opened) || (wanted && rest <= 0)) return null;
    if (wanted) return say(opening ? "open_or_wait" : "too_soon", { n: rest });
    return opening ? say("open_first") : null;
  }

  /** The card, or that it is hidden until the worker has said which entity is meant. */
  #face() {
    const { mention, card, named } = this.#display;
    this.#card.show(card, named);
    find("card-heading").textContent = say(card ? "question" : "question_hidden", { mention });
    find("side").classList.toggle("unnamed", !card);
    document.querySelector('[data-action="edit"] .means').textContent = say(card ? "edit_means" : "name_means");
    document.querySelector('[data-action="verify"]').setAttribute("aria-disabled", String(!card));
  }

  /** The worker has said which entity is meant: now the link is shown to him. */
  async #name(candidate) {
    const shown = this.#display;
    this.#leaveEditor(false);
    find("side").focus({ preventScroll: true });
    this.#notice("");
    this.#turning += 1;
    const seconds = this.#activity.take(shown.display);
    const body = await this.#work
      .name(shown.display, candidate.entity ?? candidate.key, seconds, (failing) => this.#failing(failing))
      .finally(() => {
        this.#turning -= 1;
      });
    if (body.refused) this.#notice(say("refused", { reason: body.refused }));
    else Object.assign(shown, { card: body.card, named: body.named });
    if (this.#display !== shown || body.refused) return;
    this.#face();
    this.#announce(say("revealed", { title: body.card.title }));
  }

  #say(display, text) {
    const [view, index] = this.#locate(display);
    if (view) view.displays[index].comment = text;
    this.#work.comment(display, text);
  }

  /** Let a decision stand on a display, and send it. */
  #put(at, action, candidate) {
    const { display } = this.#view.displays[at];
    const entity = action === "edit" ? (candidate.entity ?? candidate.key) : null;
    const judgment = { decision: action, key: candidate?.key ?? null, title: candidate?.title ?? null, entity };
    judgment.sent =
      this.#work.outbox?.judge({
        display,
        action,
        entity,
        title: judgment.title,
        opened: this.#opened.has(display),
        seconds: this.#activity.take(display),
      }) ?? {};
    this.#set(at, judgment);
  }

  #set(at, judgment) {
    this.#view.displays[at].judgment = judgment;
    this.#count(this.#task);
    this.#refresh();
  }

  #count(task) {
    const { displays } = this.#views.get(task);
    const made = displays.flatMap(({ judgment }) => judgment?.decision ?? []);
    const decisions = { verify: 0, edit: 0, remove: 0 };
    for (const decision of made) decisions[decision] += 1;
    Object.assign(this.#tasks[task], { decided: made.length, decisions });
  }

  #locate(display) {
    for (const view of this.#views.values()) {
      const index = view.displays.findIndex((one) => one.display === display);
      if (index >= 0) return [view, index];
    }
    return [null, -1];
  }

  /** The next display of this text without a decision, after `from` and around. */
  #nextOpen(from = this.#at) {
    const { displays } = this.#view;
    const order = displays.map((_, index) => (from + 1 + index) % displays.length);
    return order.find((index) => !displays[index].judgment) ?? null;
  }

  #open() {
    const { display } = this.#display;
    this.#opened.add(display);
    this.#work.log("open", { display });
    this.#notice("");
  }

  #leaveEditor(focus = true) {
    this.#editor.close();
    find("actions").hidden = false;
    find("side").classList.remove("choosing");
    this.#feedback();
    if (focus) document.querySelector('[data-action="edit"]').focus({ preventScroll: true });
  }

  /** Bring everything that tells how things stand up to date. */
  #refresh() {
    const { displays } = this.#view;
    displays.forEach(({ judgment }, index) => {
      this.#text.state(index, judgment?.decision, words(judgment));
      this.#list.state(index, judgment?.decision, words(judgment));
    });
    const decision = this.#display.judgment?.decision;
    for (const button of document.querySelectorAll(".action")) {
      button.setAttribute("aria-pressed", String(button.dataset.action === decision));
    }
    const total = this.#tasks.reduce((sum, task) => sum + task.displays, 0);
    const done = this.#tasks.reduce((sum, task) => sum + task.decided, 0);
    find("where").textContent = this.#tasks.length > 1 ? say("text_n", { n: this.#task + 1, total: this.#tasks.length }) : "";
    find("counted").textContent = say("progress", { done, total });
    find("progress").max = total;
    find("progress").value = done;
    find("previous-text").disabled = this.#task === 0;
    find("next-text").disabled = this.#task + 1 >= this.#tasks.length;
    find("next-text").classList.toggle("main", this.#tasks[this.#task].decided === displays.length && !this.isComplete);
    document.querySelector(".turn").hidden = this.#tasks.length < 2;
    find("undo").disabled = !this.#done.length || this.#closed;
    dispatchEvent(new Event("desk"));
  }

  #feedback() {
    const box = find("feedback");
    const { display, judgment } = this.#display;
    box.hidden = !judgment || !this.#work.feedback;
    find("side").classList.toggle("answered", !box.hidden);
    if (box.hidden) return;
    const { same, text } = this.#work.feedback(display, { action: judgment.decision, key: judgment.key });
    box.textContent = text;
    box.dataset.same = same ? "yes" : "no";
    // The panel has grown over the text.
    this.#text.reveal(this.#at);
  }

  #failing(failing) {
    const box = find("loading");
    if (failing) {
      box.textContent = say("load_failed");
      box.hidden = false;
    } else box.hidden = !find("desk").hidden;
  }

  #notice(text) {
    find("notice").textContent = text;
    find("notice").hidden = !text;
  }

  #announced = "";

  #announce(text) {
    this.#announced = text;
    find("live").textContent = text;
  }
}

/** The number of the text that a display stands in. */
function taskOf(display) {
  return Number(display.split(".")[0]);
}

/** How a judgment reads. */
function words(judgment) {
  if (!judgment) return say("undecided");
  const { decision, key, title } = judgment;
  if (decision === "edit") return say("edited", { title: key === "NIL" ? say("nil_title") : title });
  return say(decision === "verify" ? "verified" : "removed");
}
