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

// Letters of other scripts; their keys are those of the letters that a Latin keyboard has there.
const FOREIGN = /^(?!\p{Script=Latin})\p{L}$/u;

function named({ key, code }) {
  const letter = FOREIGN.test(key) ? code.replace(/^Key/, "") : key;
  return NAMES[letter] ?? NAMES[letter.toLowerCase()];
}

const BOXES = "input, textarea, select";
// Milliseconds in which the same key again was meant for what was there before.
const AGAIN = 300;

/** Call the command named for a key: `commands` maps names to functions. */
export function listen(commands, isOn) {
  guard();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open]") || event.target.closest(BOXES)) return;
    const name = named(event);
    if (!name || !isOn()) return;
    // A key held down would decide one annotation after another.
    if (event.repeat && !["next", "previous"].includes(name)) return;
    event.preventDefault();
    commands[name]();
  });
}

/** A key that is held down, or struck twice, presses no second button and does not write into the box that it has opened. */
function guard() {
  let last = null;
  const isIdle = ({ key, repeat, target, timeStamp }) => {
    if (!target.closest(BOXES)) return repeat && key === "Enter";
    if (repeat && key === "Enter") return !target.matches("textarea");
    return last?.key === key && (repeat || timeStamp - last.at < AGAIN);
  };
  const swallow = (event) => {
    if (isIdle(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (!event.repeat) last = event.target.closest(BOXES) ? null : { key: event.key, at: event.timeStamp };
  };
  document.addEventListener("keydown", swallow, { capture: true });
}
