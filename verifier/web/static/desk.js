// The desk: one text, one active highlight, one card, three actions. What happens to a judgment is the
// business of the `work` behind it (in earnest: tasks.js; for practice: practice.js).

import { Activity } from "./activity.js";
import { CommentPane } from "./comment.js";
import { Editor } from "./editor.js";
import { rest } from "./focus.js";
import { ListPane } from "./list.js";
import { MissingPane } from "./missing.js";
import { Panel } from "./panel.js";
import { Progress } from "./progress.js";
import { Sight } from "./sight.js";
import { TextPane } from "./text.js";
import { Texts, taskOf } from "./texts.js";
import { Voice } from "./voice.js";
import { say, standing } from "./words.js";

const find = (id) => document.getElementById(id);
// What one turns to when a text is done.
const LEFT = ["missing", "ending"];

export class Desk {
  #work;
  #options;
  #progress = new Progress();
  #voice = new Voice();
  #texts;
  #task = 0;
  #at = 0;
  #done = [];
  #opened = new Set();
  #activity = new Activity();
  #text = new TextPane(find("text"), (index) => this.activate(index));
  #list = new ListPane(find("list"), (index, keyed) => {
    this.activate(index);
    // Who comes by key works on it next, and the choices stand before the list.
    if (!keyed) return;
    this.#panel.focus();
    this.#panel.into();
    this.#text.reveal(index);
  });
  #panel = new Panel(() => this.#open());
  #sight = new Sight();
  #comment = new CommentPane(
    find("comment"),
    (display, text) => this.#say(display, text),
    () => dispatchEvent(new Event("desk")),
  );
  #missing = new MissingPane(find("missing"), find("text"), {
    onMark: (span) => this.#work.miss(this.#task, span),
    onDone: () => this.#away(),
  });
  #editor;
  #closed = false;
  // Texts asked for, and the last of them that came; a naming on its way.
  #asked = 0;
  #came = 0;
  #naming = 0;

  /** `options` are the study's: require_open, verify_after_seconds. */
  constructor(work, options) {
    this.#work = work;
    this.#options = options;
    const failing = (does) => this.#voice.failing(does, this.#turning);
    this.#texts = new Texts(work, failing, (task, displays) => this.#progress.count(task, displays));
    this.#editor = new Editor(find("editor"), {
      search: (query, signal) => work.search(query, this.#display.display, signal),
      onChoose: (candidate) => (this.#display.card ? this.#decide("edit", candidate) : this.#name(candidate)),
      onCancel: () => this.#leaveEditor(),
      onPaste: () => work.log("paste", { display: this.#display.display }),
    });
    find("editor").addEventListener("said", ({ detail }) => {
      // What is found has made the panel higher.
      this.#panel.into();
      this.#announce(detail);
    });
  }

  /** Everything is decided. */
  get isComplete() {
    return this.#progress.isComplete;
  }

  /** A comment is being written that is not kept yet. */
  get isWriting() {
    return this.#comment.isWriting;
  }

  /** How many are decided in which way. */
  get decisions() {
    return this.#progress.decisions;
  }

  get isClosed() {
    return this.#closed;
  }

  /** Begin, or begin again with what the server has; stays where it was. */
  async sync() {
    const before = this.#texts.waiting;
    const tasks = await this.#work.overview((does) => this.#voice.failing(does, true));
    if (!tasks) return this.close();
    const first = !this.#progress.texts;
    this.#progress.take(tasks);
    this.#texts.clear();
    // The counts of the server lack what was on its way when it answered: texts that it concerns are counted here.
    const waiting = [...before, ...this.#texts.waiting].map(([display]) => taskOf(display));
    await Promise.all([...new Set(waiting)].map((task) => this.#texts.load(task)));
    await this.#show(first ? (this.#progress.nextOpen(-1) ?? 0) : this.#task, first ? null : this.#at);
    if (!first) return undefined;
    // Where words come before the text, as in practice, they are read first.
    if (this.#work.feedback) return scrollTo(0, 0);
    return this.#text.settle(this.#at, find("side"));
  }

  /** No more can be done here. */
  close() {
    this.#closed = true;
    find("late")?.remove();
    find("loading").hidden = true;
    find("desk").hidden = false;
    this.#editor.close();
    this.#notice(say("closed"));
    for (const button of document.querySelectorAll("#actions button, #undo")) rest(button, true);
  }

  /** Make a highlight of this text the active one. */
  activate(index) {
    if (this.#editor.isOpen) this.#leaveEditor(false);
    this.#at = index;
    const shown = this.#display;
    if (!shown) return;
    this.#activity.turn(shown.display);
    this.#panel.fromTheTop();
    this.#text.activate(index);
    this.#list.activate(index);
    this.#comment.show(shown.display, shown.comment);
    this.#panel.show(shown, this.#view.language);
    this.#refresh();
    this.#feedback();
    this.#sight.turn(shown.display);
    this.#announce(this.#active);
  }

  verify() {
    if (!this.#sight.isRead) return undefined;
    const first = this.#display && this.#firstOf(this.#display);
    return first ? this.#notice(first) : this.#decide("verify");
  }

  edit() {
    if (this.#closed || this.#turning) return undefined;
    // What stands in its box stays.
    if (this.#editor.isOpen) return this.#editor.focus();
    // What was said before does not lie over what is found.
    this.#notice("");
    this.#panel.search();
    this.#editor.open(this.#display.mention, this.#view.language);
    this.#text.reveal(this.#at);
    return this.#panel.into();
  }

  remove() {
    this.#decide("remove");
  }

  open() {
    this.#panel.open();
  }

  comment() {
    if (!this.#closed) this.#comment.open();
  }

  missing() {
    if (!this.#closed) this.#missing.add();
  }

  next() {
    if (!this.#view) return;
    if (this.#at + 1 < this.#view.displays.length) this.activate(this.#at + 1);
    else {
      this.nextText();
      find("onward")?.focus();
    }
  }

  previous() {
    if (this.#at > 0) this.activate(this.#at - 1);
    else this.previousText(-1);
  }

  nextText() {
    if (this.#task + 1 < this.#progress.texts) this.#show(this.#task + 1);
  }

  previousText(at = null) {
    if (this.#task > 0) this.#show(this.#task - 1, at);
  }

  /** On to the next highlight that is not decided, in this text or another. */
  undecided() {
    if (!this.#view) return undefined;
    const here = this.#nextOpen();
    if (here !== null) return this.activate(here);
    const task = this.#progress.nextOpen(this.#task);
    if (task !== null) return this.#show(task);
    // In practice the way on is below what is in sight, as the end is.
    (find(find("submit")?.disabled ? "ending" : "submit") ?? find("onward"))?.focus();
    return this.#announce(say(this.#work.feedback ? "text_done" : "all_done"));
  }

  /** Take back what was done last; what stood before stands again. */
  async undo() {
    const last = this.#done.pop();
    if (!last || this.#closed) return this.#announce(say("nothing_to_undo"));
    const other = last.task !== this.#task;
    // A text that is on its way must not come over the one that is gone back to.
    if (other || this.#turning) await this.#show(last.task, last.at);
    const shown = this.#texts.at(last.task)?.displays[last.at];
    if (!shown) return undefined;
    if (last.before) this.#put(last, last.before.decision, last.before);
    else {
      this.#work.outbox?.undo(shown.display, shown.judgment.sent);
      this.#set(last, null);
    }
    if (last.task === this.#task && !this.#turning) this.activate(last.at);
    if (LEFT.some((id) => find(id)?.contains(document.activeElement))) this.#panel.focus();
    const undone = say("undone", { mention: shown.mention, state: standing(shown.judgment) });
    return this.#announce(other ? `${this.#progress.name(last.task)}. ${undone}` : undone);
  }

  /** What the server says of a judgment that it has stored. */
  saved({ display, sequence, decision, title }) {
    const [view, index] = this.#texts.locate(display);
    const judgment = view?.displays[index].judgment;
    if (!judgment || judgment.sent.sequence !== sequence) return;
    if (judgment.decision !== decision) this.#same(view.displays[index].mention);
    view.displays[index].judgment = { ...judgment, decision, title };
    this.#progress.count(taskOf(display), view.displays);
    this.#refresh();
  }

  /** A judgment that the server did not take: the highlight is open again. */
  async refused({ display, reason }) {
    this.#done = this.#done.filter((one) => one.display !== display);
    await this.sync();
    await this.#show(taskOf(display));
    const [view, index] = this.#texts.locate(display);
    if (view === this.#view && index >= 0) this.activate(index);
    this.#notice(say("refused", { reason }));
  }

  notice(text) {
    this.#notice(text);
  }

  announce(text) {
    this.#announce(text);
  }

  cover() {
    this.#voice.cover();
  }

  get #view() {
    return this.#texts.at(this.#task);
  }

  get #display() {
    return this.#view?.displays[this.#at];
  }

  /** What is active now, in words: as much as is seen at a glance. */
  get #active() {
    const { mention, card } = this.#display;
    if (!card) return say("active_hidden", { mention });
    const description = card.description ?? card.extract;
    return say(description ? "active_described" : "active", { mention, title: card.title, description });
  }

  /** Something is on its way: what is pressed until it is there must not decide on this text. */
  get #turning() {
    return this.#naming > 0 || this.#asked !== this.#came || !this.#view;
  }

  /** Show a text; what was `said` before is said along with its name. */
  async #show(task, at = null, said = "") {
    if (this.#editor.isOpen) this.#leaveEditor(false);
    this.#asked += 1;
    const turn = this.#asked;
    const view = await this.#texts.load(task);
    if (!view) return this.close();
    // Another was asked for meanwhile.
    if (turn !== this.#asked) return undefined;
    this.#came = turn;
    const other = task !== this.#task;
    // Where the focus is on something that goes, or has no business with another text, it goes to the card.
    const has = (id) => find(id)?.contains(document.activeElement);
    const stays = !other && has("text");
    const left = ["text", "list", ...(other ? LEFT : [])].some(has);
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
    if (stays) this.#text.focus();
    else if (left) this.#panel.focus();
    if (other) this.#announce(`${said} ${this.#progress.name(task)}. ${this.#voice.announced}`);
    // What is likely wanted next is there when it is.
    const coming = new Set([task + 1, this.#progress.nextOpen(task)]);
    for (const next of coming) if (next !== null && next < this.#progress.texts) this.#texts.load(next);
    return undefined;
  }

  #decide(action, candidate = null) {
    if (this.#closed || this.#turning || !this.#display) return undefined;
    if (!this.#sight.isRead) return undefined;
    if (this.#editor.isOpen) {
      this.#leaveEditor(false);
      this.#panel.focus();
    }
    const { display, mention, judgment } = this.#display;
    const place = { task: this.#task, at: this.#at, display };
    const wasDone = this.#progress.isDone(this.#task);
    this.#notice("");
    if (candidate || judgment?.decision !== action) {
      this.#done.push({ ...place, before: judgment });
      this.#put(place, action, candidate);
    }
    if (candidate?.shown) this.#same(mention);
    const said = { verify: "now_verified", edit: "now_edited", remove: "now_removed" }[action];
    const message = candidate?.shown ? this.#voice.announced : say(said, { title: candidate?.title });
    if (this.#work.feedback) {
      this.#refresh();
      this.#feedback();
      this.#panel.lead();
      return this.#announce(`${message} ${find("feedback").textContent}`);
    }
    const open = this.#nextOpen();
    if (open !== null) {
      this.activate(open);
      return this.#announce(`${message} ${this.#voice.announced}`);
    }
    this.#refresh();
    // Who goes back and changes his mind stays where he is.
    if (wasDone) return this.#announce(`${message} ${say(this.isComplete ? "all_done" : "text_done")}`);
    if (!this.#missing.ask()) return this.#away(message);
    return this.#announce(`${message} ${say("text_done")} ${say("missing_ask")}`);
  }

  /** Away from a text that is done: to the next with something to decide, or to the end. */
  async #away(said = "") {
    const task = this.#progress.nextOpen(this.#task);
    if (task !== null) {
      const turn = this.#asked + 1;
      await this.#show(task, null, said);
      // One has gone elsewhere while it was on its way: what is shown there is not new.
      if (this.#came === turn) this.#sight.came();
      return undefined;
    }
    find("ending").focus({ preventScroll: true });
    find("ending").scrollIntoView({ block: "nearest" });
    return this.#announce(`${said} ${say("all_done")}`);
  }

  /** Say that what was chosen is what was shown. */
  #same(mention) {
    this.#notice(say("same_as_shown", { mention }));
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

  /** The worker has said which entity is meant: now the link is shown to him. */
  async #name(candidate) {
    const shown = this.#display;
    this.#leaveEditor(false);
    this.#panel.focus();
    this.#notice("");
    this.#naming += 1;
    const seconds = this.#activity.take(shown.display);
    const body = await this.#work
      .name(shown.display, candidate.entity ?? candidate.key, seconds, (does) => this.#voice.failing(does, true))
      .finally(() => {
        this.#naming -= 1;
      });
    if (body.refused) this.#notice(say("refused", { reason: body.refused }));
    else Object.assign(shown, { card: body.card, named: body.named });
    if (this.#display !== shown || body.refused) return;
    this.#panel.show(shown, this.#view.language);
    this.#sight.came();
    this.#announce(say("revealed", { title: body.card.title }));
  }

  #say(display, text) {
    const [view, index] = this.#texts.locate(display);
    if (view) view.displays[index].comment = text;
    this.#work.comment(display, text);
  }

  /** Let a decision stand on a display, and send it. */
  #put({ task, at, display }, action, candidate) {
    const entity = action === "edit" ? (candidate.entity ?? candidate.key) : null;
    const judgment = candidate?.shown
      ? { decision: "verify", key: null, title: null, entity }
      : { decision: action, key: candidate?.key ?? null, title: candidate?.title ?? null, entity };
    judgment.sent =
      this.#work.outbox?.judge({
        display,
        action,
        entity,
        title: judgment.title,
        opened: this.#opened.has(display),
        seconds: this.#activity.take(display),
      }) ?? {};
    this.#set({ task, at }, judgment);
  }

  #set({ task, at }, judgment) {
    const { displays } = this.#texts.at(task);
    displays[at].judgment = judgment;
    this.#progress.count(task, displays);
    this.#refresh();
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
    this.#sight.dealt();
    this.#work.log("open", { display });
    this.#notice("");
  }

  #leaveEditor(focus = true) {
    this.#editor.close();
    this.#panel.choose();
    this.#feedback();
    // On the choice it would seem to be the next highlight's.
    if (focus) this.#panel.focus();
  }

  /** Bring everything that tells how things stand up to date. */
  #refresh() {
    const { displays } = this.#view;
    displays.forEach(({ judgment }, index) => {
      this.#text.state(index, judgment?.decision, standing(judgment));
      this.#list.state(index, judgment?.decision, standing(judgment));
    });
    this.#panel.stands(this.#display.judgment, this.#view.language);
    this.#progress.show(this.#task);
    this.#missing.offer(this.#progress.isDone(this.#task));
    rest(find("undo"), !this.#done.length || this.#closed);
    dispatchEvent(new Event("desk"));
  }

  #feedback() {
    const { display, judgment } = this.#display;
    const given = judgment && this.#work.feedback?.(display, { action: judgment.decision, key: judgment.key });
    this.#panel.answer(given);
    // The panel has grown over the text.
    if (given) this.#text.reveal(this.#at);
  }

  #notice(text) {
    this.#voice.notice(text);
  }

  #announce(text) {
    this.#voice.announce(text);
  }
}
