// The words of the page, in the study's language; they come with the page.

const words = JSON.parse(document.getElementById("words").textContent);

const LONGEST = 80;
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;
const LONG = new Set(["mention", "title", "description"]);

/** The words named `key`, with {names} filled in. */
export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (LONG.has(name) ? brief(values[name]) : (values[name] ?? whole)));
}

/** Shortened to what a line can hold: a mention may be as long as its author liked. */
function brief(value) {
  const letters = [...String(value ?? "")];
  const short = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
  // What is written the other way, or turns the line around, does so for itself alone.
  return TURNS.test(short) ? `\u2068${short}\u2069` : short;
}

/** How a judgment reads; null for none. */
export function standing(judgment) {
  if (!judgment) return say("undecided");
  const { decision } = judgment;
  if (decision === "edit") return say("edited", { title: chosen(judgment) });
  return say(decision === "verify" ? "verified" : "removed");
}

/** Which entry an edit has chosen; nothing of other decisions. */
export function chosen(judgment) {
  if (judgment?.decision !== "edit") return "";
  return judgment.key === "NIL" ? say("nil_title") : (judgment.title ?? "");
}
