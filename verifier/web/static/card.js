// The card: what is known about the entity that a mention was linked to.

import { endWhole } from "./whole.js";
import { say } from "./words.js";

// Letters of a credit that there is room for beside the link.
const SHORT = 34;

/** Show an image in its box; one that there is not, or that cannot be had, leaves no trace. The image of an answer
 *  may still be on its way to the server: its box waits, and it is asked for again after each of `waits` ms. */
export function showImage(image, address, words, waits = []) {
  const leave = () => {
    image.dispatchEvent(new Event("gone"));
    image.remove();
  };
  if (!address) return leave();
  const left = [...waits];
  image.alt = words;
  image.addEventListener("error", () => {
    if (!left.length) leave();
    else setTimeout(() => image.isConnected && (image.src = `${address}?${left.length}`), left.shift());
  });
  image.src = address;
  return undefined;
}

/** Say who made an image: in a line, what is longer behind its beginning. */
function credit(box, by) {
  box.hidden = !by;
  if (!by) return;
  const letters = [...by];
  if (letters.length <= SHORT) box.textContent = say("image_by", { by });
  else {
    box.querySelector("summary").textContent = say("image_by", { by: `${letters.slice(0, SHORT).join("").trim()}…` });
    box.querySelector("p").textContent = by;
  }
}

export class CardPane {
  #root;
  #onOpen;
  #whole;
  #link = null;

  constructor(root, onOpen) {
    this.#root = root;
    this.#onOpen = onOpen;
    this.#whole = endWhole(root, ".card-foot", ".card-title, .card-description, .card-extract");
  }

  /** Show a card, and whom the worker had named before he saw it; without a card, that it is hidden. What is said of
   *  the entity is in the language of its text. */
  show(card, named, language) {
    this.#link = null;
    if (!card) {
      this.#root.replaceChildren(document.getElementById("hidden-card-template").content.cloneNode(true));
      return;
    }
    const part = document.getElementById("card-template").content.cloneNode(true);
    part.querySelector(".card-title").textContent = card.title;
    for (const said of [".card-title", card.description && ".card-description", ".card-extract"]) {
      if (said) part.querySelector(said).lang = language;
    }
    const description = part.querySelector(".card-description");
    description.textContent = card.description ?? (card.extract ? "" : say("no_description"));
    description.hidden = !description.textContent;
    const extract = part.querySelector(".card-extract");
    extract.textContent = card.extract ?? "";
    extract.hidden = !card.extract;
    showImage(part.querySelector(".card-image"), card.image, say("image_of", { title: card.title }));
    credit(part.querySelector(".card-image-by"), card.image && card.image_by);
    this.#link = part.querySelector("a");
    if (card.url) {
      this.#link.href = card.url;
      for (const kind of ["click", "auxclick"]) this.#link.addEventListener(kind, this.#onOpen);
    } else {
      part.querySelector(".card-link").textContent = say("no_article");
      this.#link = null;
    }
    const line = part.querySelector(".card-named");
    line.hidden = !named;
    if (named) {
      const title = named.key === "NIL" ? say("nil_title") : named.title;
      line.textContent = say(named.key === card.key ? "named_same" : "named_other", { title });
    }
    this.#root.replaceChildren(part);
    this.#root.scrollTop = 0;
    this.#whole();
  }

  /** Open the article, as a click on its link does. */
  open() {
    this.#link?.click();
  }
}
