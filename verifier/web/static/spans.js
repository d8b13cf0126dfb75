// Spans of a text, overlapping as they may: cut into runs, and laid into lanes so that each has its own line.

/** Runs of the text between the borders of `spans`, each with the indexes of the spans that cover it. */
export function runs(length, spans) {
  const borders = new Set([0, length]);
  for (const { start, end } of spans) borders.add(start).add(end);
  const sorted = [...borders].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, at) => {
    const end = sorted[at + 1];
    const covers = spans.flatMap((span, index) => (span.start <= start && end <= span.end ? [index] : []));
    return { start, end, covers };
  });
}

/** The lane of each span: overlapping spans never share one. The innermost is nearest to the text. */
export function lanes(spans) {
  const order = spans.map((_, index) => index).sort((a, b) => size(spans[a]) - size(spans[b]) || a - b);
  const lane = [];
  for (const index of order) {
    const taken = new Set(order.filter((o) => lane[o] !== undefined && meet(spans[o], spans[index])).map((o) => lane[o]));
    lane[index] = 0;
    while (taken.has(lane[index])) lane[index] += 1;
  }
  return lane;
}

/** The next span at a place when it is pointed at: the shortest, then on a further click the next longer. */
export function pick(covers, spans, active) {
  const order = [...covers].sort((a, b) => size(spans[a]) - size(spans[b]) || a - b);
  return order[(order.indexOf(active) + 1) % order.length];
}

function size({ start, end }) {
  return end - start;
}

function meet(one, other) {
  return one.start < other.end && other.start < one.end;
}
