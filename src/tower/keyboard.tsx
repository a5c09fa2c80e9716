/** What every page needs beside its own data: the frame's facts, the keys, Find, and the notices after acts. */

import { entryOf } from "../base/contract.ts";
import { isTimeZone } from "../base/time.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { paths } from "./paths.ts";

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

/** A sentence on the outcome of the last act, shown once above the page. */
interface Notice {
  readonly tone: "working" | "failing" | "stale";
  readonly words: string;
}

export interface Shell {
  /** The address of a file of `public/`, with its content hash. */
  readonly addressOf: (file: string) => string;
  /** The time zone that the operator's browser told (IANA); absent until it did, and where it is UTC. */
  readonly zone?: string | undefined;
  /** When the visit before this one ended, as the operator's browser told it. */
  readonly lastVisit?: number | undefined;
  readonly nav: readonly NavItem[];
  /** The signed-in operator's name; null on the pages before signing in, which show no navigation. */
  readonly operator: string | null;
  readonly version: string;
  /** The address of this page, where forms come back to. */
  readonly here: string;
  /** What is answered is what a form brought: asked for by its address it would be another page. */
  readonly answersForm: boolean;
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

/** A cookie's value, or undefined. */
export function cookieOf(request: Request, name: string): string | undefined {
  const header = request.headers.get("cookie");
  return header === null ? undefined : (new Bun.CookieMap(header).get(name) ?? undefined);
}

const TEST_IT = "Saving doesn't check a credential. Use Test.";

/** What was done, in words. An address carries only the code, so that nobody can write words onto a page. */
export const DONE_WORDS = {
  "token-revoked": "Token revoked.",
  "wall-link-revoked": "Link revoked. A screen that uses it says so at its next refresh.",
  "calendar-added": "Calendar added. It is read within 15 minutes.",
  "calendar-removed": "Calendar removed. Past events stay on the timeline.",
  "panel-added": "Panel added. The first run follows within an hour.",
  "panel-removed": "Panel removed. Its results stay.",
  "session-ended": "Session ended.",
  "sessions-ended": "All your sessions are ended, on every computer.",
  "password-changed": "Password changed. Your other sessions are ended.",
  "constants-saved": "Constants saved and in effect.",
  "credential-added": `Credential saved. ${TEST_IT}`,
  "credential-changed": `This account was stored already; its uses are updated. ${TEST_IT}`,
  "credential-removed": "Credential removed, its properties are detached. Stored data stays.",
  "secret-same": `Secret replaced: same account, attachments kept. ${TEST_IT}`,
  "secret-unknown": `Secret replaced, attachments kept. A key doesn't show whether it is of the same user. ${TEST_IT}`,
  "properties-attached":
    "Properties attached. Google data arrives within 15 minutes, Bing data at 02:30 UTC.",
  "property-detached": "Property detached. No more data is pulled from it; stored data stays.",
  "channel-saved": "Saved. Saving doesn't check a channel: send a test.",
  "channel-paused": "Paused. Nothing is sent until you resume it.",
  "channel-resumed": "Resumed. What happens from now on is sent.",
  "test-delivered": "Test delivered.",
  "channel-removed": "Channel removed. Its deliveries stay listed.",
  "operator-removed": "Operator removed. Their sessions and tokens are ended.",
  "site-removed": "The site is taken out of the portfolio; its tokens are revoked.",
  "ledger-stored": "Rows stored.",
  "site-changed": "The site is changed.",
  "job-begun": "The run has begun. It goes on by itself.",
  "backup-begun": "The backup has begun. It goes on by itself.",
  "restore-begun": "The restore has begun. It goes on by itself.",
  "run-stopping": "The run is told to stop: what is under way is given up.",
  paused: "Paused. Nothing of it is asked until its time is over or it is resumed.",
  resumed: "Resumed. It runs again when it is next due.",
  disconnected: "Disconnected. Nothing more is pulled over this connection; what was pulled stays.",
  forgotten: "Forgotten. What was pulled while it was connected stays.",
  "forgotten-listed":
    "Forgotten. What was pulled while it was connected stays; if an account still lists the site, the next night finds it again.",
  "entry-added": "Added to the timeline.",
  "entry-struck": "Marked as a mistake. The entry stays listed, and charts no longer show it.",
  "entry-put-back": "No longer marked as a mistake.",
  tuned: "Thresholds saved, in effect from the next report. Restore the version before under Constants.",
};

/** What was not done, or is not all that was wanted. */
export const UNDONE_WORDS = {
  "not-saved": "You were signed out, so nothing was saved. Sign in and enter it again.",
  "credential-same": "This account was stored already. Nothing was changed.",
  "secret-other": `Secret replaced: another account, attachments kept. Add that account to each property. ${TEST_IT}`,
  "check-busy": "Not tested: another account is being tested. Try again in a minute.",
  "check-stopped": "Stopped before every provider answered. Answers so far are kept.",
  "check-held": "Not tested: the provider limits requests for now.",
  "check-other-connection": "The secret was replaced during the test. Test again.",
  "nothing-attached": "Nothing new was selected.",
  "test-unrecorded": MONITORING_UNAVAILABLE,
  "backup-busy": "A backup is being made already.",
  "restore-busy": "A backup is being restored already.",
  "job-busy": "This job is running already: what it brings is as new as what another run would.",
  "run-over": "The run had ended by then.",
  "still-paused":
    "It is still paused: all of its site is, or it is on every site. What is paused stands under Paused.",
  "not-paused": "It was not paused any more.",
  "not-connected": "It was not connected any more.",
  "not-disconnected": "There was nothing to forget any more.",
  "entry-there": "It was there already, and nothing was added.",
  "test-failed": "Test failed. The newest delivery says why.",
};

/** The outcome of an act, as an address carries it. */
export type Done = keyof typeof DONE_WORDS | keyof typeof UNDONE_WORDS;

/** The address of a page that says first what was done. */
export function withNotice(path: string, done: Done): string {
  return `${path}${path.includes("?") ? "&" : "?"}done=${done}`;
}

/** The notice that an address asks for with `?done=`, or null. */
export function takeNotice(request: Request): Notice | null {
  const code = new URL(request.url).searchParams.get("done") ?? "";
  const done = entryOf(DONE_WORDS, code);
  if (done !== undefined) return { tone: "working", words: done };
  const undone = entryOf(UNDONE_WORDS, code);
  return undone === undefined ? null : { tone: code === "test-failed" ? "failing" : "stale", words: undone };
}
