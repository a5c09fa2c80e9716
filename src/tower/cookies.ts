/** Small cookies of the Tower's pages: the theme, and the notice after an act. */
import { MONITORING_UNAVAILABLE } from "../monitoring/mod.ts";
import type { Notice } from "./shell.ts";

/** A cookie's value, or undefined. */
export function cookieOf(request: Request, name: string): string | undefined {
  const header = request.headers.get("cookie");
  return header === null ? undefined : (new Bun.CookieMap(header).get(name) ?? undefined);
}

/** What the notices of the acts say; a cookie carries only the code, so that nobody can write words onto a page. */
const NOTICES = {
  "token-revoked": { tone: "working", words: "The token is revoked." },
  "wall-link-revoked": {
    tone: "working",
    words: "The link is revoked. A screen that uses it says so at its next refresh.",
  },
  "calendar-added": { tone: "working", words: "The calendar is added. It is read within 15 minutes." },
  "calendar-removed": {
    tone: "working",
    words: "The calendar and its address are removed. What it told stays on the timeline.",
  },
  "session-ended": { tone: "working", words: "The session is ended." },
  "sessions-ended": { tone: "working", words: "All your sessions are ended, on every computer." },
  "password-changed": { tone: "working", words: "The password is changed; your other sessions are ended." },
  "constants-saved": { tone: "working", words: "The constants document is saved and in effect." },
  "channel-saved": { tone: "working", words: "Saved. Saving doesn't check a channel: send a test." },
  "channel-paused": { tone: "working", words: "Paused. Nothing is sent until you resume it." },
  "channel-resumed": { tone: "working", words: "Resumed. What happens from now on is sent." },
  "test-delivered": { tone: "working", words: "The test was delivered." },
  "test-failed": { tone: "failing", words: "The test failed. The newest delivery says why." },
  "test-unrecorded": { tone: "stale", words: MONITORING_UNAVAILABLE },
  "channel-removed": { tone: "working", words: "The channel is removed. Its deliveries stay listed." },
  "operator-removed": {
    tone: "working",
    words: "The operator is removed; their sessions and tokens are ended.",
  },
  "site-removed": {
    tone: "working",
    words: "The site is taken out of the portfolio; its tokens are revoked.",
  },
  "ledger-stored": { tone: "working", words: "The rows are stored." },
  "site-changed": { tone: "working", words: "The site is changed." },
  "job-begun": { tone: "working", words: "The run has begun. It goes on by itself." },
  "job-busy": {
    tone: "stale",
    words: "This job is running already: what it brings is as new as what another run would.",
  },
  "run-stopping": { tone: "working", words: "The run is told to stop: what is under way is given up." },
  "run-over": { tone: "stale", words: "The run had ended by then." },
  paused: {
    tone: "working",
    words: "Paused. Nothing of it is asked until its time is over or it is resumed.",
  },
  resumed: { tone: "working", words: "Resumed. It is asked again when it is next due." },
  "still-paused": {
    tone: "stale",
    words:
      "It is still paused: all of its site is, or it is on every site. What is paused stands under Paused.",
  },
  "not-paused": { tone: "stale", words: "It was not paused any more." },
  disconnected: {
    tone: "working",
    words: "Disconnected. Nothing more is pulled over this connection; what was pulled stays.",
  },
  "not-connected": { tone: "stale", words: "It was not connected any more." },
  forgotten: { tone: "working", words: "Forgotten. What was pulled while it was connected stays." },
  "forgotten-listed": {
    tone: "working",
    words:
      "Forgotten. What was pulled while it was connected stays; if an account still lists the site, the next night finds it again.",
  },
  "not-disconnected": { tone: "stale", words: "There was nothing to forget any more." },
  "entry-struck": {
    tone: "working",
    words: "The entry is struck: it stays, marked, and charts no longer show it.",
  },
  "entry-put-back": { tone: "working", words: "The entry stands again." },
  tuned: {
    tone: "working",
    words:
      "The thresholds are changed. They hold from the next reading on. The version before can be restored under Settings, Constants.",
  },
} as const satisfies Readonly<Record<string, Notice>>;

/** The outcome of an act, as an address carries it. */
export type Done = keyof typeof NOTICES;

/** The address of a page that says first what was done. */
export function withNotice(path: string, done: Done): string {
  return `${path}${path.includes("?") ? "&" : "?"}done=${done}`;
}

/** The notice that an address asks for with `?done=`, or null. */
export function takeNotice(request: Request): Notice | null {
  const code = new URL(request.url).searchParams.get("done");
  return code !== null && Object.hasOwn(NOTICES, code) ? NOTICES[code as Done] : null;
}
