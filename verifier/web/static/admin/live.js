// Keeps the overview up to date: politely, only while somebody looks and nothing in it is being used.

const EVERY = 10_000;
const live = document.getElementById("live");
const pause = document.getElementById("pause");

let stopped = false;

pause.hidden = false;
pause.addEventListener("click", () => {
  stopped = !stopped;
  pause.textContent = stopped ? "Go on updating" : "Stop updating";
});

document.addEventListener("visibilitychange", () => document.hidden || update());
setInterval(update, EVERY);

async function update() {
  if (document.hidden || stopped || inUse()) return;
  let answer;
  try {
    answer = await fetch(live.dataset.from, { cache: "no-store" });
  } catch {
    return note("The server does not answer; what is shown may be old.");
  }
  if (!answer.ok) return note("The session has ended; open the dashboard again with a new link.");
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (inUse()) return;
  const scrolled = [...live.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
  live.replaceChildren(...fresh.body.childNodes);
  live.querySelectorAll(".scroll").forEach((box, at) => {
    [box.scrollLeft, box.scrollTop] = scrolled[at] ?? [0, 0];
  });
}

// Replacing what is focused or selected would take it out of somebody's hands.
function inUse() {
  const chosen = document.getSelection();
  const selecting = chosen && !chosen.isCollapsed && live.contains(chosen.anchorNode);
  return selecting || live.contains(document.activeElement);
}

function note(text) {
  const stamp = document.getElementById("stamp");
  stamp.setAttribute("role", "alert");
  if (stamp.textContent !== text) stamp.textContent = text;
}
