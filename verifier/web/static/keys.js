// Single-key shortcuts. They rest while one types, while a dialog is open, and when switched off.

const NAMES = {
  v: "verify",
  e: "edit",
  r: "remove",
  n: "next",
  ArrowRight: "next",
  p: "previous",
  ArrowLeft: "previous",
  j: "undecided",
  u: "undo",
  o: "open",
  c: "comment",
  m: "missing",
  "?": "help",
};

/** Call the command named for a key: `commands` maps names to functions. */
export function listen(commands, isOn) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
    const name = NAMES[event.key] ?? NAMES[event.key.toLowerCase()];
    if (!name || (event.key !== "?" && !isOn())) return;
    // A key held down would decide one annotation after another.
    if (event.repeat && !["next", "previous"].includes(name)) return;
    event.preventDefault();
    commands[name]();
  });
}
