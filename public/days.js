// One day of a site, read out of all its charts at once: by pointer, by touch, by key. Without it each day is a link to its own page.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  const SIGNS = { "~": "provisional", "!": "left out", "?": "no value" };

  const links = () => findAll("[data-days] > a");
  const lanes = () => findAll("figure.days [data-read]");
  const place = (link) => links().indexOf(link);

  /** What a chart says of a day: its value, and its state where that is not final. */
  const said = (lane, at) => {
    const text = lane.dataset.read.split("|")[at] ?? "";
    const state = SIGNS[text.at(-1)];
    const value = state ? text.slice(0, -1) : text;
    return { value, state: state ?? (value ? "" : "none due") };
  };

  // What the charts say when no day is chosen, by their names, so that a refresh that came meanwhile is not written over.
  let chosen = null;
  const clear = () => {
    for (const link of findAll("[data-days] > [data-on]")) link.removeAttribute("data-on");
    for (const lane of lanes()) {
      const [value, note] = [find(".headline", lane), find("small", lane)];
      if (value?.dataset.was === undefined) continue;
      value.textContent = value.dataset.was;
      note.textContent = note.dataset.was;
      delete value.dataset.was;
      delete note.dataset.was;
      lane.removeAttribute("data-state-read");
    }
    const told = find("[data-day-read]");
    if (told) told.replaceChildren();
    chosen = null;
  };

  const choose = (link) => {
    if (!link) return clear();
    const at = place(link);
    if (at === -1) return;
    clear();
    chosen = link.id;
    link.dataset.on = "";
    const day = link.getAttribute("aria-label");
    // What is heard names each source once, and nothing that was not due.
    const words = [];
    let of = "";
    for (const lane of lanes()) {
      const [value, note] = [find(".headline", lane), find("small", lane)];
      if (!value || !note) continue;
      const { value: text, state } = said(lane, at);
      value.dataset.was = value.textContent;
      note.dataset.was = note.textContent;
      value.textContent = text || "–";
      note.textContent = state ? `${day}, ${state}` : day;
      if (state === "none due") continue;
      const source = lane.dataset.of === of ? "" : `${lane.dataset.of}. `;
      of = lane.dataset.of;
      words.push(
        `${source}${find("h3 a", lane)?.textContent.trim()}: ${[text, state].filter(Boolean).join(", ")}`,
      );
    }
    const told = find("[data-day-read]");
    if (!told) return;
    const open = document.createElement("a");
    open.href = link.href;
    open.textContent = `Open ${day}`;
    told.replaceChildren(open);
    const heard = document.createElement("span");
    heard.className = "vh";
    if (link === document.activeElement) heard.textContent = `${day}. ${words.join(". ")}`;
    told.append(heard);
  };

  const dayAt = (event) => event.target.closest?.("[data-days] > a");
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const link = dayAt(event);
    if (link && link.id !== chosen) choose(link);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "mouse" || !dayAt(event)) return;
    if (event.relatedTarget?.closest?.("[data-days]")) return;
    const focused = document.activeElement;
    choose(focused?.matches("[data-days] > a") ? focused : null);
  });

  // A finger reads the day first; a second tap on the same day opens it. The first one moves the focus before it clicks.
  let touch = null;
  document.addEventListener("pointerdown", (event) => {
    touch = event.pointerType === "touch" ? { readBefore: chosen } : null;
  });
  document.addEventListener("click", (event) => {
    const link = dayAt(event);
    if (!link || !touch || link.id === touch.readBefore) return;
    event.preventDefault();
    choose(link);
  });

  // One of the days takes the focus by Tab; arrows go on from it.
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 };
  const rove = (to) => {
    for (const link of links()) link.tabIndex = link === to ? 0 : -1;
  };
  document.addEventListener("focusin", (event) => {
    const link = dayAt(event);
    if (link) {
      rove(link);
      choose(link);
    } else if (chosen && !event.target.closest?.("[data-day-read]")) clear();
  });
  document.addEventListener("keydown", (event) => {
    const link = dayAt(event);
    if (!link || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = links();
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
            ? Math.max(0, Math.min(all.length - 1, place(link) + STEPS[event.key]))
            : -1;
    if (to === -1) return;
    event.preventDefault();
    all[to].focus({ preventScroll: true });
  });

  // The values stand in the charts: a title that says them again would cover these.
  const hideTitles = () => {
    for (const link of links()) link.removeAttribute("title");
  };
  hideTitles();
  document.addEventListener("tower:fresh", () => {
    hideTitles();
    const link = chosen && document.getElementById(chosen);
    for (const element of findAll("[data-was]")) delete element.dataset.was;
    if (!link) return;
    rove(link);
    choose(link);
  });
})();
