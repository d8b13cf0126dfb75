// The adjudication page: entities are searched for as workers do it, and the time is taken. It works without, too.

import { Finder } from "../finder.js";
import { say } from "../words.js";

const page = document.querySelector(".case");
const form = document.querySelector(".deciding");
const box = document.getElementById("entity");
const list = document.getElementById("candidates");
const said = document.getElementById("found");
const template = document.getElementById("option-template").content.firstElementChild;
const began = performance.now();

// Return in the box would press the first button, which verifies.
box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
const finder = new Finder({ box, list, line: said, made: document.getElementById("search-made"), template, language: page.dataset.language }, { search, onChoose: choose });
// A key held down must not decide on what it has just chosen.
form.addEventListener("keydown", (event) => event.key === "Enter" && event.repeat && event.preventDefault());
document.getElementById("article")?.addEventListener("click", () => (form.elements.opened.value = "yes"));
form.addEventListener("submit", () => {
  form.elements.seconds.value = String(Math.round((performance.now() - began) / 1000));
});

async function search(query, signal) {
  const asked = new URLSearchParams({ q: query, language: page.dataset.language, shown: page.dataset.shown });
  const answer = await fetch(`${page.dataset.search}?${asked}`, { signal });
  return { status: answer.status, body: await answer.json() };
}

function choose({ entity, title }) {
  finder.rest();
  box.value = entity;
  said.textContent = say("chosen", { title });
  form.querySelector("button.edit").focus();
}
