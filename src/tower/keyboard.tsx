/** What every page needs beside its own data: the frame's facts, the keys, Find, and the notices after acts. */

import type { Access, Actor } from "../access/access.ts";
import type { Clock } from "../base/base.ts";
import { isTimeZone } from "../base/time.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { paths } from "./paths.ts";

/** The look an operator chose; `system` follows the computer. */
export type Theme = "system" | "light" | "dark";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** Reads a theme from a cookie or a form; anything else is `system`. */
export function themeOf(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? "system";
}

/** Reads the time zone that a browser told in its cookie; undefined for UTC, and for what is no zone. */
export function zoneOf(text: string | undefined): string | undefined {
  return text === undefined || !isTimeZone(text) || /^(?:Etc\/)?UTC$/.test(text) ? undefined : text;
}

/** One page of the main navigation. `key` is the letter pressed after `g`. */
export interface NavItem {
  readonly id: string;
  readonly words: string;
  readonly href: string;
  readonly key: string;
  /** A count beside the words (open flags, say); left out when undefined. */
  readonly count?: number | undefined;
  readonly countWords?: string;
}

/** The pages that exist. */
export const NAV: readonly NavItem[] = [
  { id: "sites", words: "Sites", href: paths.portfolio, key: "s" },
  { id: "flags", words: "Flags", href: paths.flags, key: "f" },
  { id: "timeline", words: "Timeline", href: paths.timeline, key: "t" },
  { id: "integrations", words: "Integrations", href: paths.integrations, key: "i" },
  { id: "ledger", words: "Ledger", href: paths.ledger, key: "l" },
  { id: "settings", words: "Settings", href: paths.settings, key: "c" },
];

/** Addresses of the files every page loads, with their content hashes. */
export interface PageAssets {
  readonly css: string;
  readonly htmx: string;
  readonly script: string;
  readonly keys: string;
  readonly live: string;
  readonly wall: string;
  readonly days: string;
  readonly icon: string;
}

/** A thing that happened today: a report received, a job run, a report missed. */
export interface DayMark {
  readonly kind: "received" | "job" | "missed";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly title: string;
}

/** Today in UTC, for the rule under the navigation. */
export interface DayRuleData {
  readonly marks: readonly DayMark[];
  /** The same in words, for who does not see the drawing. */
  readonly words: string;
}

/** A sentence on the outcome of the last act, shown once above the page. */
interface Notice {
  readonly tone: "working" | "failing" | "stale";
  readonly words: string;
}

export interface Shell {
  readonly assets: PageAssets;
  readonly theme: Theme;
  /** The time zone that the operator's browser told (IANA); absent until it did, and where it is UTC. */
  readonly zone?: string | undefined;
  /** When the visit before this one ended, as the operator's browser told it. */
  readonly lastVisit?: number | undefined;
  readonly nav: readonly NavItem[];
  /** The signed-in operator's name; null on the pages before signing in, which show no navigation. */
  readonly operator: string | null;
  readonly version: string;
  /** The address of this page, where the theme form comes back to. */
  readonly here: string;
  /** What is answered is what a form brought: asked for by its address it would be another page. */
  readonly answersForm: boolean;
  readonly dayRule: DayRuleData | null;
  readonly notice: Notice | null;
  /** All that is shown is invented. */
  readonly isSample?: boolean;
  /** How many things should be watched and are not, `unknown` where that cannot be read; null where nobody is signed in. */
  readonly unwatched?: number | "unknown" | null;
  /** What an operator must know about the service itself, on every page for as long as it lasts. */
  readonly warnings?: readonly string[];
}

/** One line of the list: the keys, and what they do. */
type Line = readonly [keys: readonly string[], words: string];

/** Keys on the row that has the focus, else on the opened flag. */
const FLAG_KEYS: readonly Line[] = [
  [["a"], "Acknowledge"],
  [["s"], "Snooze"],
  [["i"], "Link an incident"],
  [["h"], "Note a hypothesis"],
  [["t"], "Tune its rule"],
  [["r"], "Resolve"],
  [["u"], "Undo acknowledge"],
  [["o"], "Open"],
  [["x"], "Select"],
  [["b"], "Jump to bulk actions"],
];

/** Keys on a day of a site's charts, which Tab leads to. */
const DAY_KEYS: readonly Line[] = [
  [["←", "→"], "Read out the day before, after"],
  [["PgUp", "PgDn"], "A week before, after"],
  [["Home", "End"], "The first, the last day"],
  [["Enter"], "Open the day"],
];

/** The keys and what they do, with a switch that turns single keys off (WCAG 2.1.4). */
export function KeyboardDialog({ nav }: { readonly nav: readonly NavItem[] }) {
  return (
    <dialog id="keys" aria-labelledby="keys-heading">
      <div class="stack">
        <h2 id="keys-heading">Keyboard</h2>
        <Lines
          lines={[
            [["j", "k"], "Next, previous row"],
            [["Enter"], "Open row"],
            [["/"], "Find a site"],
            ...nav.map((item): Line => [["g", item.key], item.words]),
            [["?"], "This list"],
            [["Esc"], "Close"],
          ]}
        />
        <h3>Charts of a site</h3>
        <Lines lines={DAY_KEYS} />
        <h3>Flags</h3>
        <Lines lines={FLAG_KEYS} />
        <p class="note">
          A key acts on the row that has the focus, else on the opened flag. Beside an opened flag the row's
          flag is shown first. The buttons above the list act on selected flags.
        </p>
        <label class="pick">
          <input type="checkbox" id="keys-on" checked />
          Single keys work on this computer
        </label>
        <form method="dialog">
          <button class="btn">Close</button>
        </form>
      </div>
    </dialog>
  );
}

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <dl class="keys">
      {lines.map(([keys, words]) => (
        <div>
          <dt>
            {keys.map((key) => (
              <>
                {" "}
                <kbd>{key}</kbd>
              </>
            ))}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Finds a site from any page. */
export function FindDialog({ action }: { readonly action: string }) {
  return (
    <dialog id="find" aria-labelledby="find-heading">
      <form method="get" action={action} class="stack tight">
        <label id="find-heading" for="find-q">
          Find a site
        </label>
        <input id="find-q" name="find" type="search" autocomplete="off" placeholder="Identifier or address" />
        <p class="note">Opens the site that matches, or lists them where several do.</p>
        <p>
          <button class="btn primary">Find</button>
        </p>
      </form>
    </dialog>
  );
}

/** Small cookies of the Tower's pages: the theme, and the notice after an act. */

/** A cookie's value, or undefined. */
export function cookieOf(request: Request, name: string): string | undefined {
  const header = request.headers.get("cookie");
  return header === null ? undefined : (new Bun.CookieMap(header).get(name) ?? undefined);
}

const TEST_IT = "Saving doesn't check a credential. Use Test.";

/** What was done, in words. An address carries only the code, so that nobody can write words onto a page. */
const NOTICES = {
  "token-revoked": { tone: "working", words: "Token revoked." },
  "wall-link-revoked": {
    tone: "working",
    words: "Link revoked. A screen that uses it says so at its next refresh.",
  },
  "calendar-added": { tone: "working", words: "Calendar added. It is read within 15 minutes." },
  "calendar-removed": { tone: "working", words: "Calendar removed. Past events stay on the timeline." },
  "panel-added": { tone: "working", words: "Panel added. The first run follows within an hour." },
  "panel-removed": { tone: "working", words: "Panel removed. Its results stay." },
  "not-saved": {
    tone: "stale",
    words: "You were signed out, so nothing was saved. Sign in and enter it again.",
  },
  "session-ended": { tone: "working", words: "Session ended." },
  "sessions-ended": { tone: "working", words: "All your sessions are ended, on every computer." },
  "password-changed": { tone: "working", words: "Password changed. Your other sessions are ended." },
  "constants-saved": { tone: "working", words: "Constants saved and in effect." },
  "credential-added": { tone: "working", words: `Credential saved. ${TEST_IT}` },
  "credential-changed": {
    tone: "working",
    words: `This account was stored already; its uses are updated. ${TEST_IT}`,
  },
  "credential-same": { tone: "stale", words: "This account was stored already. Nothing was changed." },
  "credential-renamed": { tone: "working", words: "Credential renamed." },
  "credential-removed": {
    tone: "working",
    words: "Credential removed, its properties are detached. Stored data stays.",
  },
  "secret-same": { tone: "working", words: `Secret replaced: same account, attachments kept. ${TEST_IT}` },
  "secret-other": {
    tone: "stale",
    words: `Secret replaced: another account, attachments kept. Add that account to each property. ${TEST_IT}`,
  },
  "secret-unknown": {
    tone: "working",
    words: `Secret replaced, attachments kept. A key doesn't show whether it is of the same user. ${TEST_IT}`,
  },
  "check-busy": {
    tone: "stale",
    words: "Not tested: another account is being tested. Try again in a minute.",
  },
  "check-stopped": {
    tone: "stale",
    words: "Stopped before every provider answered. Answers so far are kept.",
  },
  "check-held": { tone: "stale", words: "Not tested: the provider limits requests for now." },
  "check-other-connection": {
    tone: "stale",
    words: "The secret was replaced during the test. Test again.",
  },
  "properties-attached": {
    tone: "working",
    words: "Properties attached. Google data arrives within 15 minutes, Bing data at 02:30 UTC.",
  },
  "nothing-attached": { tone: "stale", words: "Nothing new was selected." },
  "property-detached": {
    tone: "working",
    words: "Property detached. No more data is pulled from it; stored data stays.",
  },
  "channel-saved": { tone: "working", words: "Saved. Saving doesn't check a channel: send a test." },
  "channel-paused": { tone: "working", words: "Paused. Nothing is sent until you resume it." },
  "channel-resumed": { tone: "working", words: "Resumed. What happens from now on is sent." },
  "test-delivered": { tone: "working", words: "Test delivered." },
  "test-failed": { tone: "failing", words: "Test failed. The newest delivery says why." },
  "test-unrecorded": { tone: "stale", words: MONITORING_UNAVAILABLE },
  "channel-removed": { tone: "working", words: "Channel removed. Its deliveries stay listed." },
  "operator-removed": {
    tone: "working",
    words: "Operator removed. Their sessions and tokens are ended.",
  },
  "site-removed": {
    tone: "working",
    words: "The site is taken out of the portfolio; its tokens are revoked.",
  },
  "site-changed": { tone: "working", words: "The site is changed." },
  "job-begun": { tone: "working", words: "The run has begun. It goes on by itself." },
  "backup-begun": { tone: "working", words: "The backup has begun. It goes on by itself." },
  "backup-busy": { tone: "stale", words: "A backup is being made already." },
  "restore-begun": { tone: "working", words: "The restore has begun. It goes on by itself." },
  "restore-busy": { tone: "stale", words: "A backup is being restored already." },
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
  resumed: { tone: "working", words: "Resumed. It runs again when it is next due." },
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
  "entry-added": { tone: "working", words: "Added to the timeline." },
  "entry-there": { tone: "stale", words: "It was there already, and nothing was added." },
  "entry-struck": {
    tone: "working",
    words: "Marked as a mistake. The entry stays listed, and charts no longer show it.",
  },
  "entry-put-back": { tone: "working", words: "No longer marked as a mistake." },
  tuned: {
    tone: "working",
    words: "Thresholds saved, in effect from the next report. Restore the version before under Constants.",
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

/** What every page's route needs. */

export interface PageDeps {
  readonly clock: Clock;
  readonly access: Access;
  /** What the page around the content shows to this operator. */
  readonly shellFor: (request: Request, actor: Actor) => Shell;
}
