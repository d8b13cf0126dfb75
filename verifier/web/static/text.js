// The text with its highlights: a numbered button before each mention, lines below it, the active one filled.

import { lanes, pick, runs } from "./spans.js";
import { say } from "./words.js";

const LANES = 4;

export class TextPane {
  #root;
  #displays = [];
  #marks = [];
  #runs = [];
  #active = -1;
  #said = [];

  constructor(root, onPick) {
    this.#root = root;
    root.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      const run = event.target.closest(".run");
      if (mark) onPick(this.#marks.indexOf(mark));
      else if (run && getSelection().isCollapsed) {
        const covers = this.#runs.find(([element]) => element === run)[1];
        onPick(pick(covers, this.#displays, this.#active));
      }
    });
    // A phone that is turned lays the text out anew; its height alone changes with the bars of the browser.
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width) this.reveal(this.#active);
      width = innerWidth;
    });
  }

  /** Show a text; its displays are numbered in its order. */
  show({ text, language, displays }) {
    this.#displays = displays;
    this.#marks = displays.map((_, index) => this.#mark(index));
    this.#runs = [];
    this.#said = [];
    this.#active = -1;
    const lane = lanes(displays);
    const parts = [];
    for (const { start, end, covers } of runs(text.length, displays)) {
      const piece = text.slice(start, end);
      const names = ["run", ...new Set(covers.map((index) => `lane-${lane[index] % LANES}`))];
      const marks = this.#marks.filter((_, index) => displays[index].start === start && covers.includes(index));
      // A number is kept on one line with the first word after it, unless that is too long for any line.
      const word = marks.length ? (/^\S{1,24}(?=\s|$)/u.exec(piece)?.[0] ?? "") : "";
      if (marks.length) parts.push(this.#keep(marks, word && this.#run(word, covers, names)));
      const rest = piece.slice(word.length);
      if (!covers.length) parts.push(document.createTextNode(rest));
      else if (rest) parts.push(this.#run(rest, covers, names));
    }
    this.#root.lang = language;
    this.#root.replaceChildren(...parts);
  }

  /** Bring the beginning of the text into sight. */
  fromTheTop() {
    this.#root.scrollTop = 0;
    if (this.#root.getBoundingClientRect().top < 0) this.#root.scrollIntoView({ block: "start" });
  }

  /** Say on a highlight how it stands. */
  state(index, decision, words) {
    const mark = this.#marks[index];
    // There may be hundreds, and only one has changed.
    if (this.#said[index] === words) return;
    this.#said[index] = words;
    mark.dataset.decision = decision ?? "";
    const values = { n: index + 1, total: this.#displays.length, mention: this.#displays[index].mention };
    mark.setAttribute("aria-label", say("mention_n", { ...values, state: words }));
  }

  /** Make a highlight the active one; where a button in the text had the focus, it moves along. */
  activate(index) {
    const focused = this.#marks.includes(document.activeElement);
    this.#active = index;
    this.#marks.forEach((mark, at) => {
      mark.tabIndex = at === index ? 0 : -1;
      mark.classList.toggle("active", at === index);
      if (at === index) mark.setAttribute("aria-current", "true");
      else mark.removeAttribute("aria-current");
    });
    for (const [run, covers] of this.#runs) run.classList.toggle("active", covers.includes(index));
    const mark = this.#marks[index];
    if (!mark) return;
    if (focused) mark.focus({ preventScroll: true });
    this.reveal(index);
  }

  /** Where one was in the text before it was shown anew, one is again. */
  focus() {
    this.#marks[this.#active]?.focus({ preventScroll: true });
  }

  /** Bring a highlight into sight. */
  reveal(index) {
    this.#marks[index]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** At first, what the page begins with stays in sight, unless a panel at the lower edge then lies over a highlight:
   *  `reveal` leaves room for the panel as high as it may become. */
  settle(index, panel) {
    const mark = this.#marks[index]?.getBoundingClientRect();
    if (mark && mark.bottom + mark.height + scrollY <= innerHeight - panel.offsetHeight) scrollTo(0, 0);
  }

  #run(text, covers, names) {
    const run = document.createElement("span");
    run.className = names.join(" ");
    run.textContent = text;
    this.#runs.push([run, covers]);
    return run;
  }

  #keep(marks, run) {
    const kept = document.createElement("span");
    kept.className = "kept";
    kept.append(...marks, ...(run ? [run] : []));
    return kept;
  }

  #mark(index) {
    const mark = document.getElementById("mark-template").content.firstElementChild.cloneNode(true);
    // The number is drawn by the style sheet: the text of this element stays the text of the document.
    mark.dataset.number = index + 1;
    mark.dataset.display = this.#displays[index].display;
    return mark;
  }
}
