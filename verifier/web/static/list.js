// The list of all annotations of a text with how each stands.

export const SIGNS = { verify: "✓", edit: "✎", remove: "✕" };

export class ListPane {
  #root;
  #said = [];

  /** `onPick` is told which one is chosen, and whether it was without a pointer. */
  constructor(root, onPick) {
    this.#root = root;
    root.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) onPick([...root.children].indexOf(row), event.detail === 0);
    });
  }

  show(displays) {
    const template = document.getElementById("row-template").content.firstElementChild;
    const rows = displays.map(({ mention }, index) => {
      const row = template.cloneNode(true);
      row.querySelector(".row-number").textContent = index + 1;
      row.querySelector(".row-mention").textContent = mention;
      return row;
    });
    this.#said = [];
    this.#root.replaceChildren(...rows);
  }

  state(index, decision, words) {
    if (this.#said[index] === words) return;
    this.#said[index] = words;
    const row = this.#root.children[index];
    row.querySelector(".sign").textContent = SIGNS[decision] ?? "";
    row.querySelector(".row-state").textContent = words;
    row.classList.toggle("open", !decision);
  }

  activate(index) {
    [...this.#root.children].forEach((row, at) => {
      const button = row.firstElementChild;
      if (at === index) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  }
}
