// Live refresh. A page asks for itself once a period (`data-every` on its body, in seconds), and one answer renews every part of
// it that is marked `data-fresh`. What the reader does with the page stays: see `keeping`. A part inside may have an address and
// a period of its own (`data-ask`, `data-every`). A hidden page never asks; one that is seen again asks at once if it is due.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  const TYPED = "input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea";

  const usualOf = ({ options, defaultValue }) =>
    options ? ([...options].findLast((option) => option.defaultSelected) ?? options[0])?.value : defaultValue;
  const isChanged = (field) => field.value !== (usualOf(field) ?? "");
  const isTouched = (field) => field === document.activeElement || isChanged(field);

  // Morphing is htmx's own. While a refresh runs, what is open stays open, and what is typed into or marked stays whole.
  let morph;
  let refreshing = false;
  htmx.registerExtension("tower-live", {
    init: (inner) => {
      morph = inner.morph;
    },
    htmx_before_morph_node: (old) =>
      !refreshing ||
      !(old.matches?.("[data-still], [data-apart]") || (old.matches?.(TYPED) && isTouched(old))),
    htmx_before_morph_attr: (element, { attrName }) => {
      // A script shows these where it can do what they say.
      if (attrName === "hidden" && element.matches("[data-copy], [data-scripted]")) return false;
      return !(refreshing && attrName === "open" && element.matches("details, dialog"));
    },
  });

  // What is in sight holds its place, in the window and in everything in it that was scrolled: the thing that has the focus, else
  // as most of the first lines moved. Without a name of its own a line is known again by its words.
  const scrolled = new Set();
  document.addEventListener("scroll", ({ target }) => target !== document && scrolled.add(target), true);
  const MOST_HELD = 12;
  const LINES = "[id], [data-row], tr, li, p, dt, h2, h3, summary";
  const inSight = (region) => {
    const { top, bottom } =
      region === document ? { top: 0, bottom: innerHeight } : region.getBoundingClientRect();
    const sees = (element) => {
      const place = element.getBoundingClientRect();
      return place.height > 0 && place.top >= top - 1 && place.top < bottom;
    };
    const main = find("#main");
    const goesAlong = (element) => {
      for (
        let around = element.parentElement;
        around && around !== main && around !== region;
        around = around.parentElement
      ) {
        const { position, overflowY } = getComputedStyle(around);
        if (position === "sticky" || overflowY === "auto") return false;
      }
      return true;
    };
    const { activeElement } = document;
    const lines = findAll(LINES, region === document ? main : region);
    const focused = activeElement !== main && main.contains(activeElement) && region.contains(activeElement);
    const held = [];
    for (const element of focused ? [activeElement, ...lines] : lines) {
      if (held.length === MOST_HELD) break;
      if (!sees(element) || !goesAlong(element)) continue;
      const { top: at } = element.getBoundingClientRect();
      held.push({ element, at, words: element.textContent, focused: element === activeElement });
    }
    return held;
  };
  const movedBy = (held) => {
    const known = held.filter(
      ({ element, words }) => element.isConnected && (element.id || element.textContent === words),
    );
    const moves = known.map(({ element, at }) => Math.round(element.getBoundingClientRect().top - at));
    const focused = known.findIndex((line) => line.focused);
    if (focused !== -1) return moves[focused];
    const often = (move) => moves.filter((other) => other === move).length;
    return moves.reduce((best, move) => (often(move) > often(best) ? move : best), moves[0] ?? 0);
  };
  const holdPlaces = () => {
    for (const element of scrolled)
      if (!element.isConnected || element.scrollTop === 0) scrolled.delete(element);
    const regions = [document, ...scrolled].map((region) => [region, inSight(region)]);
    return () => {
      for (const [region, held] of regions) {
        const moved = movedBy(held);
        if (moved !== 0) (region === document ? document.scrollingElement : region).scrollTop += moved;
      }
    };
  };

  const holdFocus = () => {
    const had = document.activeElement;
    const rows = findAll("[data-row]");
    const at = rows.indexOf(had);
    const acting = had?.closest("[data-acting]");
    return () => {
      if (!had || had === document.body || document.activeElement === had) return;
      const nextOnes = at === -1 ? [] : [...rows.slice(at + 1), ...rows.slice(0, at).reverse()];
      const again = had.isConnected ? had : had.id ? document.getElementById(had.id) : null;
      // Where a row takes acts by key no other one gets the focus: the next key would act on what nobody chose.
      const instead = acting ?? nextOnes.find((row) => row.isConnected);
      (again ?? instead)?.focus({ preventScroll: true });
    };
  };

  const holdSelection = () => {
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = getSelection();
    const words = [anchorNode, focusNode].map((node) => node?.textContent);
    return () => {
      if (isCollapsed || !find("#main").contains(anchorNode) || !find("#main").contains(focusNode)) return;
      if (anchorNode.textContent !== words[0] || focusNode.textContent !== words[1]) return;
      getSelection().setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
    };
  };

  /** Does something to the page, and puts the reader back to where they were. */
  const keeping = (change) => {
    const back = [holdFocus(), holdSelection(), holdPlaces()];
    refreshing = true;
    try {
      change();
    } finally {
      refreshing = false;
    }
    for (const putBack of back) putBack();
  };

  const renew = (part, fresh) => {
    if (!part || !fresh || part.isEqualNode(fresh)) return;
    const fragment = document.createDocumentFragment();
    fragment.append(document.adoptNode(fresh));
    morph(part, fragment, false);
    htmx.process(part);
  };

  // An opened flag never changes under its reader: it says when it changed since.
  const noteChange = (fresh) => {
    const [shown, now] = [find("#flag"), find("#flag", fresh)];
    const offer = shown && find("[data-changed]", shown);
    if (offer && now && shown.dataset.stands !== now.dataset.stands) offer.hidden = false;
  };

  // Which moment the page is of, or what keeps it from being renewed: what is old never looks fresh. On a page that never asks for
  // itself it is what keeps a part of it from that.
  const isLive = () => document.body.dataset.every !== undefined;
  const say = (trouble, at) => {
    const readAt = find("#read-at");
    if (!readAt) return;
    const [words, time, , status] = readAt.children;
    if (at) {
      time.dateTime = at;
      time.textContent = at.slice(11, 19);
    }
    if (status.textContent === trouble) return;
    const hold = holdPlaces();
    if (isLive()) words.textContent = trouble ? "Last update" : "Read";
    readAt.toggleAttribute("data-lost", trouble !== "");
    status.textContent = trouble;
    hold();
  };

  const hasTyped = () => findAll(TYPED, find("#main")).some(isChanged) || Boolean(find("dialog[open]"));
  /** Whether a page brings a script that is not here. One that is here alone is a browser extension's. */
  const bringsScripts = (page) =>
    findAll("head script", page).some((script) => !find(`head script[src="${script.getAttribute("src")}"]`));

  // Each that asks: the page and the parts with a period of their own. `busy` counts what else changes the page meanwhile.
  const asking = new WeakMap();
  let busy = 0;
  const stateOf = (asker) => {
    if (!asking.has(asker)) asking.set(asker, { due: Date.now() + periodOf(asker), inFlight: false });
    return asking.get(asker);
  };
  const periodOf = (asker) => Number(asker.dataset.every) * 1000;
  /** The page asks for itself within a second, where it does so at all. */
  const dueNow = () => {
    if (isLive()) stateOf(document.body).due = 0;
  };
  const SOON_MS = 10_000;

  /** What an answer without a page in it says of why there is none; "" where nothing is wrong. */
  const refusalOf = ({ status, type, headers }) => {
    // A proxy that signs people in sends them elsewhere by itself.
    const isSentOn = type === "opaqueredirect";
    const door = isSentOn ? location.href : headers.get("HX-Redirect");
    if (status === 401 || isSentOn) {
      if (door && !hasTyped()) location.assign(door);
      return ", signed out";
    }
    if (status === 503) return ", the service is not ready";
    if (status === 404) return ", it is no longer there";
    return status === 200 || status === 304 ? "" : `, the service answers ${status}`;
  };

  const take = (asker, fresh, state, { etag, isWhole }) => {
    if (asker !== document.body) {
      keeping(() => renew(asker, find(`#${CSS.escape(asker.id)}`, fresh)));
      // What it waited for has come: all else on the page is from before.
      if (asker.dataset.every === undefined) dueNow();
      return "";
    }
    if (!find("#main", fresh)) return ", the service answers with something else";
    // Half a page would stand for the whole one for as long as nothing new comes.
    if (!isWhole) return ", the answer was cut off";
    // Another release answers: its pages go with its own scripts.
    if (bringsScripts(fresh) && !hasTyped()) {
      location.reload();
      return "";
    }
    state.etag = etag;
    noteChange(fresh);
    keeping(() => {
      for (const part of findAll("[data-fresh]")) renew(part, find(`#${part.id}`, fresh));
    });
    document.title = fresh.title;
    document.dispatchEvent(new CustomEvent("tower:fresh"));
    return "";
  };

  const ask = async (asker) => {
    const state = stateOf(asker);
    const address = asker.dataset.ask ?? location.pathname + location.search;
    if (state.address !== address) state.etag = null;
    const before = busy;
    Object.assign(state, { inFlight: true, address });
    const headers = {
      accept: "text/html",
      "HX-Request": "true",
      "HX-Current-URL": location.href,
      "Tower-Refresh": "1",
    };
    if (state.etag) headers["If-None-Match"] = state.etag;
    let response;
    let text;
    try {
      const signal = AbortSignal.timeout(30_000);
      response = await fetch(address, { headers, cache: "no-store", redirect: "manual", signal });
      text = await response.text();
    } catch {}
    state.inFlight = false;
    // Something else changed the page meanwhile: what was answered is older than what is shown.
    if (before !== busy) {
      state.due = 0;
      return look();
    }
    let trouble = response === undefined || text === undefined ? ", connection lost" : refusalOf(response);
    state.due = Date.now() + (trouble === "" ? periodOf(asker) : Math.min(SOON_MS, periodOf(asker)));
    if (trouble === "" && response.status === 200) {
      const fresh = new DOMParser().parseFromString(text, "text/html");
      const etag = response.headers.get("ETag");
      trouble = take(asker, fresh, state, { etag, isWhole: text.includes("</html>") });
    }
    if (asker === document.body) say(trouble, trouble === "" ? response.headers.get("Tower-Read-At") : null);
    else if (!isLive()) say(trouble);
    // The page says what keeps a part of it from being renewed, once it has met that itself.
    else if (trouble !== "") dueNow();
  };

  const look = () => {
    if (document.visibilityState !== "visible") return;
    for (const asker of findAll("[data-every]")) {
      const state = stateOf(asker);
      // A clock that was set back would keep it waiting.
      const isDue = Date.now() >= state.due || state.due > Date.now() + periodOf(asker);
      if (isDue && !state.inFlight) ask(asker);
    }
  };
  setInterval(look, 1000);
  for (const asker of findAll("[data-every]")) stateOf(asker);
  document.addEventListener("visibilitychange", look);

  // An act, or a flag that is opened, changes a part of the page: the rest follows at once.
  document.addEventListener("htmx:before:request", () => {
    busy++;
  });
  const follow = (event) => {
    busy++;
    if (document.body.dataset.every === undefined || event.detail?.ctx?.target?.closest?.("[data-apart]"))
      return;
    Object.assign(stateOf(document.body), { due: 0, etag: null });
    look();
  };
  document.addEventListener("htmx:after:swap", follow);
  document.addEventListener("htmx:error", follow);
  document.addEventListener("tower:ask", () => {
    // An answer that is under way was asked for before: it is older than what is wanted.
    busy++;
    for (const asker of findAll("[data-every]")) stateOf(asker).due = 0;
    look();
  });
})();
