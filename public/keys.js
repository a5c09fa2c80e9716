// The keyboard and the inbox. Pages read and work without it.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Keyboard. Single keys can be switched off (WCAG 2.1.4); they never act inside a field or a dialog.
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
  // The inbox. Keys act on the focused row, else on the opened flag. A row is ticked and the list's own form is sent, so
  // that a key does what the mouse would. The place is remembered, for a row that left the list under the focus.
  const showPickAll = () => {
    for (const button of findAll("[data-pick-all][hidden]")) button.hidden = false;
  };
  showPickAll();
  document.addEventListener("tower:fresh", showPickAll);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-pick-all]")) return;
    const boxes = findAll(".tick input");
    const all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
  document.addEventListener("htmx:after:swap", (event) => {
    showPickAll();
    const flag = find("#flag");
    const list = find("#flags-list");
    // On a phone an opened flag takes the list's place: begin at its top.
    if (event.detail?.ctx?.target?.id === "inbox" && flag && list?.offsetParent === null)
      flag.scrollIntoView();
  });
  let rowAt = 0;
  const moveRow = (step) => {
    const rows = findAll("[data-row]");
    let at = rows.indexOf(document.activeElement);
    if (at === -1 && rowAt > 0) at = rowAt - (step > 0 ? 1 : 0);
    if (at === -1 || at >= rows.length) at = rows.findIndex((row) => row.hasAttribute("aria-current"));
    rowAt = Math.max(0, Math.min(rows.length - 1, at + step));
    rows[rowAt]?.focus();
  };
  const actOnRow = (row, key) => {
    const box = find(".tick input", row.closest("li"));
    if (key === "o") row.click();
    else if (key === "x" && box) box.checked = !box.checked;
    else if ("tihr".includes(key)) {
      const act = { t: "tune", i: "incident", h: "hypothesis", r: "resolve" }[key];
      const address = new URL(row.href);
      address.searchParams.set("act", act);
      location.assign(address);
    } else {
      const button = find(`[data-bulk="${key}"]`);
      if (!box || !button) return;
      if (!findAll(".tick input:checked").length) box.checked = true;
      button.form.requestSubmit(button);
    }
  };
  const actOnFlag = (key) => {
    const control = find(`#flag [data-key="${key}"]`);
    if (!control) return;
    control.click();
    const open = control.closest("details[open]");
    if (open) find("input:not([type=hidden]), textarea, button", open)?.focus();
  };

  const actAt = (event) => {
    const row = document.activeElement?.closest(".picks [data-row]");
    if (!row && !find("#flag")) return;
    event.preventDefault();
    if (row) actOnRow(row, event.key);
    else actOnFlag(event.key);
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
  };
  for (const key of "asthirox") onKey[key] = actAt;
  const isForPage = (event) =>
    !(event.metaKey || event.ctrlKey || event.altKey || event.isComposing) &&
    !event.target.closest("input, select, textarea, [contenteditable], dialog[open]");
  document.addEventListener("keydown", (event) => {
    if (keysOn?.checked === false || !isForPage(event)) return;
    if (Date.now() - goPressedAt < 1200) go(event.key);
    else onKey[event.key]?.(event);
  });
})();
