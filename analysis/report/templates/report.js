"use strict";
// Searching, filtering and ordering the audit list; without this the list is whole, the strongest first.
{
  const rows = [...document.querySelectorAll("#list tr")];
  const words = rows.map((row) => row.textContent.toLocaleLowerCase());
  const field = (name) => document.getElementById(name);
  const shown = field("shown");

  function chosen(name) {
    const select = field(name);
    return select ? select.value : "";
  }

  function filter() {
    const wanted = field("wanted").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const finding = chosen("finding");
    const source = chosen("source");
    const dataset = chosen("dataset");
    let left = 0;
    rows.forEach((row, place) => {
      const fits =
        (!finding || row.dataset.finding === finding) &&
        (!source || row.dataset.sources.split(", ").includes(source)) &&
        (!dataset || row.dataset.dataset === dataset) &&
        wanted.every((word) => words[place].includes(word));
      row.hidden = !fits;
      left += fits ? 1 : 0;
    });
    shown.textContent = `${left} of ${rows.length} shown`;
  }

  // Paper holds the first ones of the order that was chosen.
  const printed = rows.filter((row) => !row.classList.contains("more")).length;

  function order() {
    const by = chosen("order");
    const ordered = by ? [...rows].sort((one, other) => one.dataset[by] - other.dataset[by]) : rows;
    ordered.forEach((row, place) => row.classList.toggle("more", place >= printed));
    document.getElementById("list").append(...ordered);
  }

  for (const name of ["wanted", "finding", "source", "dataset"]) {
    const each = field(name);
    if (each) {
      each.addEventListener("input", filter);
    }
  }
  field("order").addEventListener("input", order);
  field("filters").hidden = false;
  filter();
}
