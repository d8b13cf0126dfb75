// Whether single-key shortcuts are on. Kept in the address alone, so that it holds on the next page and after a reload.

const OFF = "#no-keys";

const find = (id) => document.getElementById(id);

/** Tie the box that switches them. */
export function tieShortcuts() {
  const box = find("shortcuts");
  box.checked = location.hash !== OFF;
  const keep = () => {
    const hash = box.checked ? "" : OFF;
    if (location.hash !== hash) history.replaceState(history.state, "", location.pathname + location.search + hash);
    const form = find("onward")?.form;
    if (form) form.action = form.action.split("#")[0] + hash;
    tell(box.checked);
  };
  box.addEventListener("change", keep);
  // A jump to the content writes its own name there.
  addEventListener("hashchange", keep);
  keep();
}

/** The keys stand on what they press only while they do so. */
function tell(on) {
  document.body.classList.toggle("keyless", !on);
  const templates = [...document.querySelectorAll("template")].map(({ content }) => content);
  for (const place of [document, ...templates]) {
    for (const pressed of place.querySelectorAll("[aria-keyshortcuts], [data-keys]")) {
      pressed.dataset.keys ??= pressed.getAttribute("aria-keyshortcuts");
      if (on) pressed.setAttribute("aria-keyshortcuts", pressed.dataset.keys);
      else pressed.removeAttribute("aria-keyshortcuts");
    }
  }
}
