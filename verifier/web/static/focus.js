// The focus is never lost: what has it and goes, or can be pressed no more, gives it to the panel with the card.

/** Make the panel with the card the place where one goes on. */
export function toPanel() {
  document.getElementById("side").focus({ preventScroll: true });
}

/** Let a button be pressed no more, or again. */
export function rest(button, resting) {
  if (resting && document.activeElement === button) toPanel();
  button.disabled = resting;
}

// What may come to lie over what stands above the panel.
const OVER = ["notice", "time", "saving"];
const GAP = 8;

/** What has the focus lies under nothing: neither under the panel nor under what is told at the upper edge. */
export function keepClear() {
  document.addEventListener("focusin", ({ target }) => requestAnimationFrame(() => uncover(target)));
}

function uncover(target) {
  const panel = document.getElementById("side");
  if (target.closest("dialog, .notice")) return undefined;
  const place = target.getBoundingClientRect();
  const over = OVER.map((id) => document.getElementById(id)).filter(Boolean);
  const upper = Math.max(0, ...over.map((one) => one.getBoundingClientRect()).filter((one) => meet(one, place)).map(({ bottom }) => bottom));
  if (upper) return scrollBy(0, place.top - upper - GAP);
  if (panel.contains(target)) return undefined;
  const precedes = panel.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING;
  const lower = panel.getBoundingClientRect();
  if (precedes && meet(lower, place)) scrollBy(0, Math.min(place.bottom - lower.top + GAP, place.top - GAP));
  return undefined;
}

function meet(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
