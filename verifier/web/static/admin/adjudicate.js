// The adjudication page: entities are searched for as one types, and the time is taken. It works without, too.

const page = document.querySelector(".case");
const form = document.querySelector(".deciding");
const box = document.getElementById("entity");
const list = document.getElementById("candidates");
const said = document.getElementById("found");
const began = performance.now();
let waiting = 0;
let asking = null;

// Return in the box would press the first button, which verifies.
box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
box.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 200);
});
document.getElementById("article")?.addEventListener("click", () => (form.elements.opened.value = "yes"));
form.addEventListener("submit", () => {
  form.elements.seconds.value = String(Math.round((performance.now() - began) / 1000));
});

async function search() {
  asking?.abort();
  asking = new AbortController();
  const query = box.value.trim();
  if (!query) return offer([], "");
  try {
    const asked = new URLSearchParams({ q: query, language: page.dataset.language });
    const answer = await fetch(`${page.dataset.search}?${asked}`, { signal: asking.signal });
    const body = await answer.json();
    offer(body.candidates, body.message ?? `${body.candidates.length} found`);
  } catch (error) {
    if (error.name !== "AbortError") offer([], "The search does not answer.");
  }
}

function offer(candidates, message) {
  list.replaceChildren(...candidates.map(choice));
  list.hidden = candidates.length === 0;
  said.textContent = message;
}

function choice(candidate) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const title = document.createElement("bdi");
  const about = document.createElement("span");
  button.type = "button";
  title.textContent = candidate.title;
  about.className = "soft";
  about.textContent = `${candidate.description ?? ""} ${candidate.key}`;
  button.append(title, " ", about);
  button.addEventListener("click", () => {
    box.value = candidate.key;
    offer([], `Chosen: ${candidate.title}`);
    form.querySelector("button.edit").focus();
  });
  item.append(button);
  return item;
}
