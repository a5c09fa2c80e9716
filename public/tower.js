// What every page does beside htmx: ticks, the time of the last reading, theme, copying. Keys and the inbox: keys.js.
// Pages read and work without it.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Ticks. A live part listens with hx-trigger="tick:60 from:body". A hidden page never ticks; a page that is seen
  // again ticks at once for every period that ran out meanwhile.
  const periods = [5, 30, 60, 900];
  const lastTick = new Map(periods.map((period) => [period, Date.now()]));
  const tick = () => {
    if (document.visibilityState !== "visible") return;
    const now = Date.now();
    for (const period of periods) {
      if (now - lastTick.get(period) < period * 1000 - 50) continue;
      lastTick.set(period, now);
      document.body.dispatchEvent(new CustomEvent(`tick:${period}`));
    }
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);

  // The time of the last reading, or that the connection is lost: old data never looks fresh.
  const readAt = find("#read-at");
  const markRead = (lost) => {
    if (!readAt) return;
    const time = find("time", readAt);
    if (lost) {
      if (readAt.dataset.lost === undefined) {
        readAt.dataset.lost = "";
        readAt.replaceChildren("Last update ", time, ", connection lost");
      }
      return;
    }
    const now = new Date();
    time.dateTime = now.toISOString();
    time.textContent = now.toISOString().slice(11, 19);
    if (readAt.dataset.lost !== undefined) {
      delete readAt.dataset.lost;
      readAt.replaceChildren("Read ", time, " UTC");
    }
  };
  document.addEventListener("htmx:error", () => markRead(true));
  // An act that is refused (4xx) was answered: the connection stands.
  document.addEventListener("htmx:response:error", (event) => {
    const status = event.detail?.ctx?.response?.status ?? 0;
    if (status < 400 || status >= 500) markRead(true);
  });
  document.addEventListener("htmx:after:request", (event) => {
    const status = event.detail?.ctx?.response?.status;
    if (status !== undefined && status < 400) markRead(false);
  });

  // Theme. The server keeps the choice in a cookie; this only saves the reload.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-form] button");
    if (!button) return;
    event.preventDefault();
    const form = button.form;
    const body = new URLSearchParams(new FormData(form, button));
    fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
    if (button.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = button.value;
    for (const other of findAll("button", form)) other.setAttribute("aria-pressed", String(other === button));
  });

  // Copy buttons are hidden without scripts or without a clipboard (plain http beyond this computer has none).
  const showCopy = (root) => {
    if (navigator.clipboard) for (const button of findAll("[data-copy][hidden]", root)) button.hidden = false;
  };
  showCopy(document);
  document.addEventListener("htmx:after:swap", () => showCopy(document));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(find(`#${CSS.escape(button.dataset.copy)}`).textContent);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
})();
