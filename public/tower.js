// What every page does beside htmx: copying, what the browser knows, forms of who is signed out. Live refresh: live.js. Keys and the inbox: keys.js.
// Pages read and work without it.
(() => {
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

  // The time zone, for the times that titles tell. From the next page on the server knows it.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && "cookieStore" in window)
    cookieStore.set({ name: "zone", value: zone, expires: Date.now() + 34_560_000_000, sameSite: "lax" });

  // When the visit before this one ended, for what is new since then. Half an hour without a page ends a visit.
  if ("cookieStore" in window) {
    cookieStore.get("visit").then((kept) => {
      const now = Date.now();
      const [before, latest = now] = (kept?.value ?? "").split(".").filter(Boolean).map(Number);
      const since = now - latest > 1_800_000 ? latest : before;
      const value = `${since ?? now}.${now}`;
      cookieStore.set({ name: "visit", value, expires: now + 34_560_000_000, sameSite: "lax" });
    });
  }

  // Where the session ended meanwhile, a form that was filled in stays: the door would throw away what is written. htmx's own forms: keys.js.
  const isWritten = (form) =>
    findAll("textarea, input:not([type=hidden], [type=checkbox], [type=radio])", form).some(
      (field) => field.value !== field.defaultValue,
    );
  let sent;
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter, defaultPrevented } = event;
    const isOurs = form.method === "post" && find("form[action='/sign-out']");
    if (!isOurs || defaultPrevented || form === sent || !isWritten(form)) return;
    event.preventDefault();
    // A page is asked, since a proxy may name people on pages alone: one that is always there, since a refused form stands where none is.
    const headers = { "HX-Request": "true" };
    const answer = await fetch("/", { headers, redirect: "manual" }).catch(() => undefined);
    if (answer?.status === 401) {
      submitter.setCustomValidity("You are signed out. Sign in in another tab, then do it again.");
      submitter.reportValidity();
      submitter.setCustomValidity("");
      return;
    }
    sent = form;
    form.requestSubmit(submitter);
    sent = undefined;
  });

  // Copy buttons are hidden without scripts or without a clipboard (plain http beyond this computer has none).
  const showCopy = (root) => {
    if (navigator.clipboard) for (const button of findAll("[data-copy][hidden]", root)) button.hidden = false;
  };
  showCopy(document);
  for (const name of ["htmx:after:swap", "tower:fresh"])
    document.addEventListener(name, () => showCopy(document));
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
