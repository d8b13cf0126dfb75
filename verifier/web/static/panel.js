// The panel at the side: the question, the card or what hides it, what stands of the three choices, and the answer in practice.

import { CardPane } from "./card.js";
import { toPanel } from "./focus.js";
import { chosen, say } from "./words.js";

const find = (id) => document.getElementById(id);

export class Panel {
  #side = find("side");
  #card;
  #scrolled = false;

  constructor(onOpen) {
    this.#card = new CardPane(find("card"), onOpen);
    this.#side.addEventListener("scroll", () => (this.#scrolled = true), { passive: true });
  }

  /** Show what is asked of a highlight: its card, or that it is hidden until the worker has said which entity is meant. */
  show({ mention, card, named }, language) {
    const held = find("card").contains(document.activeElement);
    this.#card.show(card, named, language);
    if (held) toPanel();
    find("card-heading").textContent = say(card ? "question" : "question_hidden", { mention });
    this.#side.classList.toggle("unnamed", !card);
    document.querySelector('[data-action="edit"] .means').textContent = say(card ? "edit_means" : "name_means");
    document.querySelector('[data-action="verify"]').setAttribute("aria-disabled", String(!card));
  }

  fromTheTop() {
    // To ask where it stands would have the page laid out at every turn.
    if (this.#scrolled) this.#side.scrollTop = 0;
    this.#scrolled = false;
  }

  /** Open the article. */
  open() {
    this.#card.open();
  }

  focus() {
    toPanel();
  }

  /** Make room for the search. */
  search() {
    find("actions").hidden = true;
    find("feedback").hidden = true;
    this.#side.classList.add("choosing");
    this.#side.classList.remove("answered");
  }

  /** The three choices are back. */
  choose() {
    find("actions").hidden = false;
    this.#side.classList.remove("choosing");
  }

  into() {
    this.#side.scrollIntoView({ block: "nearest" });
  }

  /** Show which of the three stands, and which entry was chosen, in the language of the text. */
  stands(judgment, language) {
    for (const button of document.querySelectorAll(".action")) {
      button.setAttribute("aria-pressed", String(button.dataset.action === judgment?.decision));
    }
    const entry = document.querySelector('[data-action="edit"] .chosen');
    entry.textContent = chosen(judgment);
    if (judgment?.key === "NIL") entry.removeAttribute("lang");
    else entry.lang = language;
  }

  /** After a right choice in practice, the way on has the focus, until another highlight has no answer yet. */
  lead() {
    if (find("feedback").dataset.same === "yes") find("next-undecided").focus({ preventScroll: true });
  }

  /** What is answered to a choice in practice; without one, nothing. */
  answer(given) {
    const box = find("feedback");
    if (!given && !box.hidden && document.activeElement === find("next-undecided")) toPanel();
    box.hidden = !given;
    this.#side.classList.toggle("answered", Boolean(given));
    if (!given) return;
    box.textContent = given.text;
    box.dataset.same = given.same ? "yes" : "no";
  }
}
