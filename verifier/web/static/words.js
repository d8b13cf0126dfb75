// The words of the page, in the study's language; they come with the page.

const words = JSON.parse(document.getElementById("words").textContent);

const LONGEST = 80;
const LONG = new Set(["mention", "title"]);

/** The words named `key`, with {names} filled in. */
export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (LONG.has(name) ? brief(values[name]) : (values[name] ?? whole)));
}

/** Shortened to what a line can hold: a mention may be as long as its author liked. */
function brief(value) {
  const letters = [...String(value ?? "")];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
}
