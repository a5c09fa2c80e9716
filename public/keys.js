// The keyboard and the inbox. Pages read and work without it.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

  // What only a script can do is shown by it.
  const reveal = () => {
    for (const control of findAll("[data-scripted][hidden]")) control.hidden = false;
  };
  reveal();

  // Dialogs. What opens one is a link, or hidden, where there are no scripts.
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (!opener || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    find(`#${opener.dataset.open}`)?.showModal();
  });

  // Escape closes the form around it, and leads back to what opened it. What is written there stays.
  document.addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && event.target.closest("details[open]:has(form)");
    if (!open) return;
    open.open = false;
    find("summary", open).focus();
  });

  // Single keys can be switched off (WCAG 2.1.4); they never act inside a field or a dialog.
  const SWITCH = "tower-keys";
  const stored = () => {
    try {
      return localStorage.getItem(SWITCH);
    } catch {
      return null;
    }
  };
  const keysOn = find("#keys-on");
  if (keysOn) {
    keysOn.checked = stored() !== "off";
    keysOn.addEventListener("change", () => {
      try {
        localStorage.setItem(SWITCH, keysOn.checked ? "on" : "off");
      } catch {}
    });
  }

  // Ticks are for the buttons over the list alone; after an act nothing is ticked.
  const ticks = () => findAll(".tick input");
  const countTicks = () => {
    const count = ticks().filter((box) => box.checked).length;
    for (const place of findAll("[data-ticked]")) place.textContent = count === 0 ? "" : `${count} selected`;
  };
  const untick = () => {
    for (const box of ticks()) box.checked = false;
    for (const sure of findAll(".bulk details[open]")) sure.open = false;
    countTicks();
  };
  document.addEventListener("change", (event) => {
    if (event.target.closest(".tick")) countTicks();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-pick-all]")) return;
    const boxes = ticks();
    const all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
    countTicks();
  });

  // What is said at the foot of the window, for a minute or until the next act.
  const SAID_MS = 60_000;
  let said;
  const clearTold = () => find("#flags-told")?.replaceChildren();
  const sayForAWhile = () => {
    clearTimeout(said);
    said = setTimeout(clearTold, SAID_MS);
  };
  if (find("#flags-told > *")) sayForAWhile();
  const say = (words) => {
    const line = document.createElement("p");
    line.textContent = words;
    const told = document.createElement("div");
    told.className = "told";
    told.append(line);
    find("#flags-told")?.replaceChildren(told);
  };
  // It takes the place of nothing that was said before.
  const sayToo = (words) => {
    if (!find("#flags-told > *")) say(words);
  };

  // Acts by key are sent one after another, each for the row it was pressed on. Whatever else acts, by a button, is waited for, also
  // where it was a step that pressed the button: the next one may take it back.
  let queue = Promise.resolve();
  let sent = Promise.resolve();
  const inTurn = (step) => {
    queue = queue
      .then(step)
      .then(() => sent)
      .catch(() => {});
  };
  const underWay = new Map();
  const isAct = (ctx) =>
    ctx?.request.method !== "GET" && Boolean(ctx?.sourceElement.closest("#inbox, #flags-bulk"));
  const waiting = new WeakMap();
  document.addEventListener("htmx:before:request", (event) => {
    const { ctx } = event.detail;
    if (!isAct(ctx)) return;
    clearTold();
    const { promise, resolve } = Promise.withResolvers();
    waiting.set(ctx, resolve);
    sent = Promise.all([sent, promise]);
    queue = Promise.all([queue, promise]);
  });
  document.addEventListener("htmx:finally:request", (event) => {
    const { ctx } = event.detail;
    const resolve = waiting.get(ctx);
    if (!resolve) return;
    if (ctx.status !== "swapped") say("No answer came, so that this may not be done. Try again.");
    resolve();
  });
  const send = (values) => {
    const form = find("#flags-bulk");
    const path = form.getAttribute("hx-post");
    return htmx.ajax("POST", path, { source: form, target: "#flags-list", swap: "outerMorph", values });
  };

  // Focus. A row that leaves under the focus gives it to the next one where the row was acted on by key. Where it left by itself
  // no other row gets it: the next key would act on a flag that nobody chose.
  const rows = () => findAll("[data-row]");
  const rowIn = (element) =>
    element?.closest("[data-row]") ?? element?.closest(".tick")?.closest("li")?.querySelector("[data-row]");
  const focusedRow = () => {
    const active = document.activeElement;
    return active?.closest("[data-row], .tick") ? rowIn(active) : null;
  };
  let rowAt = 0;
  let rowWas = "";
  let before = null;
  const remember = () => {
    before = {
      ids: rows().map((row) => row.id),
      row: focusedRow()?.id,
    };
  };
  // Wholly in sight, also of what stands at the foot of the window.
  const focusRow = (row) => {
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  const focusList = () => find("#flags-bulk")?.focus();
  const keepFocus = () => {
    const { ids, row } = before ?? { ids: [] };
    if (!row || document.getElementById(row) || document.activeElement !== document.body) return;
    rowAt = ids.indexOf(row);
    if (underWay.has(row)) {
      const others = [...ids.slice(rowAt + 1), ...ids.slice(0, rowAt).reverse()];
      const next = others.map((id) => document.getElementById(id)).find(Boolean);
      if (next) return focusRow(next);
    }
    focusList();
  };
  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-row], .tick") ? rowIn(event.target) : null;
    if (!row) return;
    rowAt = rows().indexOf(row);
    rowWas = row.id;
  });
  // Beside an opened flag the one with the focus is shown, and no key acts on another. The steps wait for acts that are under way;
  // of several only the row that has the focus by then is asked for.
  let showing = 0;
  const isShown = (row) => !find("#flag") || (showing === 0 && row.hasAttribute("aria-current"));
  const showFocused = () => {
    if (!find("#flag") || !focusedRow()?.matches(".picks [data-row]")) return;
    showing++;
    inTurn(async () => {
      const row = focusedRow();
      const values = {
        target: "#inbox",
        select: "#inbox",
        swap: "outerMorph",
        push: "false",
        replace: "true",
      };
      try {
        if (row && !row.hasAttribute("aria-current"))
          await htmx.ajax("GET", row.getAttribute("href"), { source: row, ...values });
      } finally {
        showing--;
      }
    });
  };
  const moveRow = (step) => {
    const all = rows();
    let at = all.indexOf(focusedRow());
    if (at === -1 && rowAt > 0) at = rowAt - (step > 0 ? 1 : 0);
    if (at === -1 || at >= all.length) at = all.findIndex((row) => row.hasAttribute("aria-current"));
    focusRow(all[Math.max(0, Math.min(all.length - 1, at + step))]);
    showFocused();
  };

  // Where a session ended, what is written stays: a door that opened now would throw it away.
  const SIGNED_OUT = 401;
  const isWritten = ({ sourceElement }) =>
    findAll("textarea, input:not([type=hidden], [type=checkbox])", sourceElement).some(
      (field) => field.value !== field.defaultValue,
    );
  document.addEventListener("htmx:before:response", (event) => {
    const { ctx } = event.detail;
    if (isAct(ctx) && ctx.response.status === SIGNED_OUT && isWritten(ctx)) delete ctx.hx.redirect;
  });

  // What the service could not do is said in the same place, and the page stays: only what was refused for a reason of the flag's own
  // is shown on it.
  const REFUSED_THERE = [409, 422];
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    const status = ctx.response?.status ?? 200;
    if (isAct(ctx) && status >= 400 && !REFUSED_THERE.includes(status)) {
      event.preventDefault();
      const answer = new DOMParser().parseFromString(ctx.text, "text/html");
      const words = find("p", answer)?.textContent.trim() || "The service did not do it. Try again.";
      say(status === SIGNED_OUT ? "You are signed out. Sign in in another tab, then do it again." : words);
    }
    remember();
  });
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    reveal();
    if (isAct(ctx)) {
      untick();
      sayForAWhile();
    } else {
      countTicks();
    }
    keepFocus();
    const flag = find("#flag");
    // On a phone an opened flag takes the list's place: begin at its top.
    if (ctx.target?.id === "inbox" && flag && find("#flags-list")?.offsetParent === null)
      flag.scrollIntoView();
  });

  document.addEventListener("tower:fresh", () => {
    reveal();
    countTicks();
    const left =
      rowWas && !document.getElementById(rowWas) && document.activeElement?.matches("[data-acting]");
    if (left) sayToo("The flag that had the focus left the list. Go on with j or k.");
  });

  const actOnRow = (row, key) => {
    const item = row.closest("li");
    const box = find(".tick input", item);
    if (key === "o") row.click();
    else if (key === "x") {
      if (box) box.checked = !box.checked;
      countTicks();
    } else if ("tihr".includes(key)) {
      const act = { t: "tune", i: "incident", h: "hypothesis", r: "resolve" }[key];
      const address = new URL(row.href);
      address.searchParams.set("act", act);
      inTurn(() => location.assign(address));
    } else {
      const button = find(`#flags-bulk [data-bulk="${key}"]`);
      if (!box || !button || underWay.has(row.id)) return;
      underWay.set(row.id, key);
      item.setAttribute("aria-busy", "true");
      const all = rows();
      focusRow(all[all.indexOf(row) + 1]);
      const values = {
        act: button.value,
        flag: box.value,
        days: find("#flags-bulk [name=days]")?.value ?? "7",
      };
      inTurn(() =>
        send(values).finally(() => {
          underWay.delete(row.id);
          item.removeAttribute("aria-busy");
        }),
      );
      showFocused();
    }
  };
  const actOnFlag = (key) => {
    const control = find(`#flag [data-key="${key}"]`);
    if (!control) {
      if ("astihru".includes(key)) sayToo("The opened flag takes no such act as it stands.");
      return;
    }
    control.click();
    const open = control.closest("details[open]");
    if (open) find("input:not([type=hidden]), textarea, button", open)?.focus();
  };
  // A key pressed twice is one act: the same key counts again once the act before it is stored.
  const TWICE_MS = 150;
  let pressed = { key: "", at: 0 };
  const isTwice = ({ key, timeStamp }) => {
    const soon = key === pressed.key && timeStamp - pressed.at < TWICE_MS;
    pressed = { key, at: timeStamp };
    return soon || [...underWay.values()].includes(key);
  };
  const isInSight = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const actAt = (event) => {
    const row = focusedRow();
    const onRow = row?.matches(".picks [data-row]") && row.checkVisibility();
    if (!onRow && !find("#flags-bulk")) return;
    event.preventDefault();
    // A row that was scrolled away is shown first: no key acts on what is not seen.
    if (onRow && !isInSight(row)) return focusRow(row);
    if (onRow && "asu".includes(event.key) && !isShown(row)) return showFocused();
    if (event.repeat || (event.key !== "x" && isTwice(event))) return;
    if (onRow) actOnRow(row, event.key);
    else if (find("#flag") && !document.activeElement?.closest("#flags-bulk")) {
      inTurn(() => actOnFlag(event.key));
    } else say("Choose a flag first, with j or k.");
  };

  let goPressedAt = 0;
  const go = (key) => {
    goPressedAt = 0;
    const link = find(`[data-go="${CSS.escape(key)}"]`);
    if (link) location.assign(link.href);
  };
  const onKey = {
    __proto__: null,
    g: () => {
      goPressedAt = Date.now();
    },
    "/": (event) => {
      event.preventDefault();
      find("#find")?.showModal();
    },
    "?": () => find("#keys")?.showModal(),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    b: () => find(".bulk button:not([hidden])")?.focus(),
    Enter: (event) => {
      if (!event.target.closest(".tick")) return;
      event.preventDefault();
      rowIn(event.target)?.click();
    },
  };
  for (const key of "asthiroxu") onKey[key] = actAt;
  const isForPage = (event) =>
    !(event.metaKey || event.ctrlKey || event.altKey || event.isComposing) &&
    (event.target.closest(".tick") ||
      !event.target.closest("input, select, textarea, [contenteditable], dialog[open]"));
  document.addEventListener("keydown", (event) => {
    // With another key between, wherever that went, it is no second press.
    if (event.key !== pressed.key) pressed = { key: "", at: 0 };
    if (keysOn?.checked === false || !isForPage(event)) return;
    if (Date.now() - goPressedAt < 1200) go(event.key);
    else onKey[event.key]?.(event);
  });
})();
