// Starts the desk of the page and ties it to its buttons, keys and dialogs.

import { Api } from "./api.js";
import { Desk } from "./desk.js";
import { keepClear, rest } from "./focus.js";
import { listen } from "./keys.js";
import { Practice } from "./practice.js";
import { tieShortcuts } from "./shortcuts.js";
import { Tasks } from "./tasks.js";
import { Timing } from "./timing.js";
import { say } from "./words.js";

const find = (id) => document.getElementById(id);
const { api, study, mode } = find("desk").dataset;
const given = (id) => JSON.parse(find(id)?.textContent ?? "null");
const server = new Api(api, study);
const inEarnest = mode === "tasks";
const work = inEarnest ? new Tasks(server, given("beginning")) : new Practice(given("example-data"));
const desk = new Desk(work, given("options") ?? {});

const commands = {
  verify: () => desk.verify(),
  edit: () => desk.edit(),
  remove: () => desk.remove(),
  next: () => desk.next(),
  previous: () => desk.previous(),
  undecided: () => desk.undecided(),
  undo: () => desk.undo(),
  open: () => desk.open(),
  comment: () => desk.comment(),
  missing: () => desk.missing(),
  help: () => find("help").showModal(),
};

function tieButtons() {
  for (const button of document.querySelectorAll(".action")) {
    // The second click of a double click would decide the next highlight, which nobody has read yet.
    button.addEventListener("click", ({ detail }) => detail < 2 && commands[button.dataset.action]());
  }
  find("next-mention").addEventListener("click", commands.next);
  find("previous-mention").addEventListener("click", commands.previous);
  find("next-undecided").addEventListener("click", commands.undecided);
  find("undo").addEventListener("click", commands.undo);
  find("help-open").addEventListener("click", commands.help);
  find("next-text").addEventListener("click", () => desk.nextText());
  find("previous-text").addEventListener("click", () => desk.previousText());
  // Where there is likely no keyboard, its keys are there for who asks for them.
  find("help-more").open = !matchMedia("(hover: none) and (pointer: coarse)").matches;
  tieShortcuts();
  listen(commands, () => find("shortcuts").checked && !handing);
}

let wasLost = false;
// The work is being handed in, or back: what is decided meanwhile would come too late.
let handing = false;

function hold(held) {
  handing = held;
  document.querySelector(".columns").inert = held;
}

/** Show what is not stored yet, and allow handing in only when nothing is left to decide or to store. */
function showSaving() {
  const { size: n, state: sent } = work.outbox;
  const state = sent === "saved" && desk.isWriting ? "saving" : sent;
  const box = find("saving");
  const text = { saved: say("saved"), saving: say("saving"), lost: say(navigator.onLine ? "unsaved_n" : "unsaved_wait", { n }) }[state];
  if (box.textContent !== text) box.textContent = text;
  // What is stored as one goes need not be said; that it is not, and that it is again, must.
  if (box.dataset.state !== state && (state === "lost" || (state === "saved" && wasLost))) desk.announce(text);
  if (state !== "saving") wasLost = state === "lost";
  if (box.dataset.state !== state) {
    box.dataset.state = state;
    desk.cover();
  }
  const ready = desk.isComplete && state === "saved" && !desk.isClosed;
  rest(find("submit"), !ready);
  find("submit-hint").textContent = ready ? `${say("summary", desk.decisions)} ${say("all_done")}` : say("submit_wait");
}

async function handIn() {
  find("ending").focus({ preventScroll: true });
  find("submit").disabled = true;
  desk.notice(say("submitting"));
  hold(true);
  try {
    const { status, body } = await work.submit();
    if (status === 200 || body.error !== "undecided") return location.reload();
    hold(false);
    await desk.sync();
    desk.undecided();
    desk.notice(say("submit_wait"));
  } catch {
    hold(false);
    desk.notice(say("submit_failed"));
  }
  showSaving();
  return find("submit").focus({ preventScroll: true });
}

async function giveBack() {
  if (find("stop").returnValue !== "yes") return;
  hold(true);
  try {
    await work.giveBack();
    location.reload();
  } catch {
    hold(false);
    desk.notice(say("submit_failed"));
  }
}

function tieWork() {
  const { outbox } = work;
  outbox.addEventListener("change", showSaving);
  outbox.addEventListener("saved", ({ detail }) => desk.saved(detail));
  outbox.addEventListener("refused", ({ detail }) => desk.refused(detail));
  outbox.addEventListener("closed", () => desk.close());
  outbox.addEventListener("conflict", async () => {
    await desk.sync();
    desk.notice(say("conflict"));
  });
  outbox.guard();
  addEventListener("desk", showSaving);
  addEventListener("pageshow", ({ persisted }) => persisted && desk.sync());
  find("submit").addEventListener("click", handIn);
  find("stop-open").addEventListener("click", () => {
    find("stop").returnValue = "no";
    find("stop").showModal();
  });
  find("stop").addEventListener("close", giveBack);
  for (const kind of ["blur", "focus"]) addEventListener(kind, ({ target }) => target === window && work.log(kind, {}));
  document.addEventListener("visibilitychange", () => {
    work.log(document.hidden ? "hidden" : "visible", {});
    // Another tab may have gone on meanwhile.
    if (!document.hidden && !outbox.size && !desk.isClosed && !find("editor").childElementCount) desk.sync();
  });
}

function tieTime({ seconds_left: seconds, more_time: more }) {
  new Timing(desk, seconds, more ? () => work.moreTime() : null);
}

tieButtons();
keepClear();
if (inEarnest) tieWork();
await desk.sync();
if (inEarnest && !desk.isClosed) tieTime(given("beginning"));
