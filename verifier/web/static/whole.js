// A box that scrolls, with something that stays at its lower edge: no line of words is cut through there.

/**
 * Keep what is cut off of a line out of sight until one scrolls: `foot` and `lines` select, in the box, what stays and
 * what has lines. Returns what is called when the box has something new in it.
 */
export function endWhole(box, foot, lines) {
  let isScrolled = false;
  const measure = () => {
    const last = box.querySelector(foot);
    if (!last) return;
    const edge = last.getBoundingClientRect().top;
    const range = document.createRange();
    const cut = [...box.querySelectorAll(lines)].flatMap((part) => {
      if (last.contains(part)) return [];
      range.selectNodeContents(part);
      return [...range.getClientRects()].filter(({ top, bottom }) => top < edge && bottom > edge + 1);
    });
    const height = isScrolled || !cut.length ? 0 : edge - Math.min(...cut.map(({ top }) => top));
    last.style.setProperty("--cut", `${height}px`);
  };
  const watch = new ResizeObserver(measure);
  box.addEventListener("scroll", () => {
    isScrolled = box.scrollTop > 0;
    measure();
  }, { passive: true });
  return () => {
    isScrolled = false;
    watch.disconnect();
    // Measured when it has been laid out, and whenever it becomes higher or lower.
    for (const part of [box, box.querySelector(foot)]) if (part) watch.observe(part);
  };
}
