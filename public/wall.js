// The Wall. It asks for itself once a period (`data-every` of its body, in seconds) while it is seen, says how old what it shows is, and
// says at once when it could not be renewed. Should this script be gone or asleep, the stylesheet greys what is too old by itself.
(() => {
  const { body } = document;
  const script = document.currentScript.getAttribute("src");
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

  const ANSWER_MS = 10_000;
  const SOON_MS = 10_000;
  const PERIODS = 3;
  const periodMs = () => Number(body.dataset.every) * 1000;
  const isLost = () => body.dataset.lost !== undefined;

  // One of a machine's clocks stands still while it sleeps, and the other is set: whichever says that more has passed is believed.
  const moment = () => ({ wall: Date.now(), ran: performance.now() });
  const since = ({ wall, ran }) => Math.max(Date.now() - wall, performance.now() - ran, 0);

  // A screen that may not see the Wall has nothing to renew: it looks whether it may by now.
  if (!find("#lost")) {
    setInterval(async () => {
      const answer = await fetch(location.href, {
        headers: { "Tower-Refresh": "1" },
        cache: "no-store",
      }).catch(() => null);
      if (answer?.status === 200) location.reload();
    }, periodMs());
    return;
  }

  /** What the service read, and when: `at` by its own clock. */
  let read = { at: Date.parse(find("#lost time").dateTime), wall: Date.now() - performance.now(), ran: 0 };
  let asked = moment();
  let asking = false;
  let etag = null;

  const put = (element, words) => {
    if (element && element.textContent !== words) element.textContent = words;
  };

  const ageWords = (ms) => {
    const seconds = Math.floor(ms / 1000);
    if (seconds < 60) return `, ${seconds} s ago`;
    return seconds < 3600 ? `, ${Math.floor(seconds / 60)} min ago` : `, ${Math.floor(seconds / 3600)} h ago`;
  };

  const say = () => {
    const clock = find("[data-clock]");
    put(clock, new Date(read.at + since(read)).toISOString().slice(11, 16));
    if (clock) clock.hidden = false;
    put(find("[data-age]"), ageWords(since(read)));
  };

  const lose = (why) => {
    const lost = find("#lost");
    put(find("[data-why]", lost), why);
    if (isLost()) return;
    body.dataset.lost = "";
    lost.setAttribute("role", "alert");
    document.title = `Stale: no update since ${find("time", lost).textContent.slice(0, 5)} – Tower`;
  };

  const renewed = (at) => {
    read = { ...asked, at: Date.parse(at) };
    for (const time of findAll("#lost time, .age time")) {
      time.dateTime = at;
      put(time, at.slice(11, 19));
    }
    if (isLost()) {
      delete body.dataset.lost;
      find("#lost").removeAttribute("role");
    }
    put(find("[data-why]"), "");
    document.title = title;
    // Another name for the same animations begins them anew.
    body.dataset.heard = body.dataset.heard === "b" ? "a" : "b";
  };
  let title = document.title;

  const full = () => {
    const button = find("[data-full]");
    if (button) button.hidden = !document.fullscreenEnabled || document.fullscreenElement !== null;
  };

  const swap = (fresh) => {
    const focused = document.activeElement?.getAttribute("href");
    title = fresh.title;
    body.replaceChildren(...fresh.body.childNodes);
    full();
    if (focused) find(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  };

  /** What an answer without a Wall in it says of why there is none. */
  const refusalOf = ({ status, type }, fresh) => {
    if (status === 401) return find("[data-why]", fresh)?.textContent ?? "This screen is signed out.";
    if (type === "opaqueredirect") return "This screen is signed out.";
    if (status === 503) return "The service is not ready.";
    return status === 200 ? "The answer is not the Wall." : `The service answers ${status}.`;
  };

  /** Takes an answer; what it says of why it could not, or "". */
  const take = (response, text) => {
    const at = response.headers.get("Tower-Read-At");
    if (response.status === 304 && at) {
      renewed(at);
      return "";
    }
    const fresh = new DOMParser().parseFromString(text, "text/html");
    if (response.status !== 200 || !at || !find(".tiles", fresh)) return refusalOf(response, fresh);
    // Half a Wall would stand for the whole one.
    if (!text.includes("</html>")) return "The answer was cut off.";
    // Another release answers: its pages go with its own script. What else is in the head is a browser extension's.
    if (!find(`head script[src="${script}"]`, fresh)) {
      location.reload();
      return "";
    }
    etag = response.headers.get("ETag");
    swap(fresh);
    renewed(at);
    return "";
  };

  const ask = async () => {
    asking = true;
    asked = moment();
    const headers = { accept: "text/html", "Tower-Refresh": "1", ...(etag && { "If-None-Match": etag }) };
    const signal = AbortSignal.timeout(ANSWER_MS);
    let why = "The service cannot be reached.";
    try {
      const address = location.pathname + location.search;
      const response = await fetch(address, { headers, cache: "no-store", redirect: "manual", signal });
      const text = await response.text();
      why = "The answer cannot be shown.";
      why = take(response, text);
    } catch {}
    asking = false;
    if (why !== "") lose(why);
    say();
  };

  const look = () => {
    say();
    if (since(read) > PERIODS * periodMs()) lose("");
    if (document.visibilityState !== "visible") return;
    const wait = isLost() ? Math.min(SOON_MS, periodMs()) : periodMs();
    if (!asking && since(asked) >= wait) ask();
  };

  // A page that a browser kept says an older moment than it was opened at.
  const [opened] = performance.getEntriesByType("navigation");
  const isKept =
    (opened?.type ?? "navigate") !== "navigate" || Math.abs(Date.now() - read.at) > PERIODS * periodMs();
  full();
  say();
  if (isKept) ask();
  setInterval(look, 1000);
  for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, look);
  addEventListener("pageshow", look);
  addEventListener("online", () => !asking && ask());
  addEventListener("offline", () => lose("This screen's computer has no network."));
  document.addEventListener("fullscreenchange", full);
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-full]")) document.documentElement.requestFullscreen();
  });
})();
