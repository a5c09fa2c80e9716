// Charts by day: a cursor that says the day's values, by pointer, by touch, by key; and zooming by dragging. Without it each day is a link
// whose title says them, and ranges are links and fields.
(() => {
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  const DAY = "[data-days] > a";
  /** Dragging begins after so many pixels: a shaken click is none. */
  const DRAGGED = 8;

  const linksOf = (link) => findAll(DAY, link.closest(".lanes"));
  const tipOf = (link) => link.closest(".lanes").querySelector("[data-day-read]");

  // A title that the browser shows by itself would cover what the cursor says.
  const hideTitles = () => {
    for (const title of findAll(`${DAY} title`)) {
      title.closest("a").dataset.said = title.textContent;
      title.remove();
    }
  };

  let chosen = null;
  const clear = () => {
    for (const link of findAll(`${DAY}[data-on]`)) link.removeAttribute("data-on");
    for (const tip of findAll("[data-day-read]")) tip.replaceChildren();
    chosen = null;
  };

  /** The times of a day's changes, in this computer's zone beside UTC. */
  const withLocal = (text, day) =>
    text.replaceAll(/(\d\d:\d\d) UTC/g, (utc, clock) => {
      const at = new Date(`${day}T${clock}:00Z`);
      return `${at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })} (${utc})`;
    });

  const choose = (link) => {
    if (!link) return clear();
    clear();
    chosen = link.id;
    link.dataset.on = "";
    const tip = tipOf(link);
    if (!tip) return;
    tip.textContent = withLocal(link.dataset.said ?? "", link.dataset.day);
    // Beside the day, and inside the chart.
    const lanes = link.closest(".lanes").getBoundingClientRect();
    const strip = link.getBoundingClientRect();
    const after = strip.right - lanes.left + 8;
    const before = strip.left - lanes.left - tip.offsetWidth - 8;
    tip.style.left = `${after + tip.offsetWidth <= lanes.width ? after : Math.max(0, before)}px`;
  };

  const dayAt = (event) => event.target.closest?.(DAY);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || drag?.box) return;
    const link = dayAt(event);
    if (link && link.id !== chosen) choose(link);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "mouse" || !dayAt(event)) return;
    if (event.relatedTarget?.closest?.("[data-days]")) return;
    const focused = document.activeElement;
    choose(focused?.matches(DAY) ? focused : null);
  });

  // What is dragged over with the mouse is shown alone. A finger reads the day first; a second tap on the same day opens it.
  let drag = null;
  let touch = null;
  document.addEventListener("pointerdown", (event) => {
    touch = event.pointerType === "touch" ? { readBefore: chosen } : null;
    const link = dayAt(event);
    drag =
      event.pointerType === "mouse" && event.button === 0 && link?.closest("[data-zoom]")
        ? { from: link, x: event.clientX }
        : null;
  });
  document.addEventListener("dragstart", (event) => {
    if (dayAt(event)) event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const strips = drag.from.closest("svg");
    const edge = strips.getBoundingClientRect();
    if (!drag.box) {
      if (Math.abs(event.clientX - drag.x) < DRAGGED) return;
      drag.box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      drag.box.setAttribute("class", "drawn-over");
      drag.box.setAttribute("height", "100%");
      strips.append(drag.box);
      clear();
    }
    const to = Math.min(edge.right, Math.max(edge.left, event.clientX));
    drag.box.setAttribute("x", Math.min(drag.x, to) - edge.left);
    drag.box.setAttribute("width", Math.abs(to - drag.x));
  });
  const endDrag = () => {
    drag?.box?.remove();
    drag = null;
  };
  let dragged = false;
  document.addEventListener("pointerup", (event) => {
    if (!drag?.box) return endDrag();
    const [left, right] = [Math.min(drag.x, event.clientX), Math.max(drag.x, event.clientX)];
    const over = linksOf(drag.from).filter((link) => {
      const strip = link.getBoundingClientRect();
      return strip.right > left && strip.left < right;
    });
    const zoom = new URL(drag.from.closest("[data-zoom]").dataset.zoom, location.href);
    zoom.searchParams.set("from", over[0].dataset.day);
    zoom.searchParams.set("to", over.at(-1).dataset.day);
    dragged = true;
    setTimeout(() => {
      dragged = false;
    });
    endDrag();
    location.assign(zoom);
  });
  document.addEventListener("pointercancel", endDrag);
  document.addEventListener(
    "click",
    (event) => {
      const link = dayAt(event);
      if (dragged) event.preventDefault();
      if (!link || !touch || link.id === touch.readBefore) return;
      event.preventDefault();
      choose(link);
    },
    true,
  );

  // One of the days takes the focus by Tab; arrows go on from it.
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 };
  const rove = (to) => {
    for (const link of linksOf(to)) link.setAttribute("tabindex", link === to ? "0" : "-1");
  };
  document.addEventListener("focusin", (event) => {
    const link = dayAt(event);
    if (link) {
      rove(link);
      choose(link);
    } else if (chosen) clear();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") endDrag();
    const link = dayAt(event);
    if (!link || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = linksOf(link);
    if (event.key === "Escape") {
      clear();
      return;
    }
    const to =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? all.length - 1
          : event.key in STEPS
            ? Math.max(0, Math.min(all.length - 1, all.indexOf(link) + STEPS[event.key]))
            : -1;
    if (to === -1) return;
    event.preventDefault();
    all[to].focus({ preventScroll: true });
  });

  hideTitles();
  document.addEventListener("tower:fresh", () => {
    hideTitles();
    const link = chosen && document.getElementById(chosen);
    if (!link) return;
    rove(link);
    choose(link);
  });
})();
