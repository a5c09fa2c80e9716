/** The frame of every page, and what stands in the place of a part that cannot be read. */

import { TOWER_COMMAND } from "../base/command_line.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { countWords as countOf } from "../base/text.ts";
import { cityOf, formatCount } from "./format.ts";
import type { Child, Safe } from "./jsx/jsx-runtime.ts";
import { FindDialog, KeyboardDialog, type NavItem, type Shell } from "./keyboard.tsx";
import { Glyph, Sprite } from "./kit/glyph.tsx";
import { here } from "./kit/here.ts";
import { Told, Unseen } from "./kit/links.tsx";
import { Clock, Glossary } from "./kit/proof.tsx";
import { type SiteHead, SiteHeader, type SiteTab, siteTitle } from "./kit/site_state.tsx";
import { Callout } from "./kit/words.tsx";
import { paths } from "./paths.ts";

const SCRIPTS = ["htmx.min.js", "tower.js", "live.js", "keys.js", "days.js"];

/** The head of a page; `children` stand before its title. */
export function Head(props: {
  readonly title: string;
  readonly scripts?: readonly string[];
  readonly children?: Child;
}) {
  const { shell } = here();
  const { title, scripts = SCRIPTS } = props;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="same-origin" />
      {props.children}
      <title>{`${title} – Tower${shell.isSample === true ? " (sample data)" : ""}`}</title>
      <link rel="icon" href={shell.addressOf("favicon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={shell.addressOf("tower.css")} />
      {scripts.map((file) => (
        <script src={shell.addressOf(file)} defer />
      ))}
    </head>
  );
}

function NavLink({ item, current }: { readonly item: NavItem; readonly current: boolean }) {
  return (
    <a href={item.href} data-go={item.key} aria-current={current ? "page" : undefined}>
      {item.words}
      {item.count === undefined ? null : (
        <span class="count">
          {formatCount(item.count)}
          <Unseen> {item.countWords ?? "open"}</Unseen>
        </span>
      )}
    </a>
  );
}

/** Which moment the page is of. The last element says what keeps it from being renewed. */
function ReadAt({ still }: { readonly still: boolean }) {
  const { now } = here();
  return (
    <span class="clock" id="read-at">
      <span>{still ? "As of" : "Read"}</span> <Clock at={now} seconds />
      <span class="long"> UTC</span>
      <span role="status" />
    </span>
  );
}

/** Above everything, and still there when the page is scrolled: invented figures must not be taken for somebody's own. */
export function SampleBand() {
  const { shell } = here();
  if (shell.isSample !== true) return null;
  return (
    <aside class="sample" aria-label="Sample data">
      <b>Sample data</b> <span>Every site and figure is invented.</span>
    </aside>
  );
}

function TopBar(props: { readonly current: string; readonly still: boolean }) {
  const { shell } = here();
  const { current, still } = props;
  return (
    <header class="topbar">
      <a class="brand" href={paths.portfolio}>
        <Glyph name="brand" />
        Tower
      </a>
      <nav id="nav" popover aria-label="Main" data-fresh>
        {shell.nav.map((item) => (
          <NavLink item={item} current={item.id === current} />
        ))}
      </nav>
      <div class="tools">
        <ReadAt still={still} />
        <a class="btn bare find" href={`${paths.portfolio}#q`} data-open="find">
          Find <kbd>/</kbd>
        </a>
        <button class="btn menu-btn" type="button" popovertarget="nav">
          Menu
        </button>
      </div>
    </header>
  );
}

/** Whether the service watches what it should, in a word: no state of what it watches, and so never green. */
function Watching({ unwatched }: { readonly unwatched: NonNullable<Shell["unwatched"]> }) {
  const isWatching = unwatched === 0;
  return (
    <span id="watching" data-fresh>
      <a
        class={isWatching ? undefined : "state"}
        data-state={isWatching ? undefined : "unknown"}
        href={paths.health}
      >
        {isWatching ? null : <Glyph name="s-unknown" />}
        This service: {watchingWords(unwatched)}
      </a>
    </span>
  );
}

function watchingWords(unwatched: NonNullable<Shell["unwatched"]>): string {
  if (unwatched === "unknown") return "what is watched cannot be read";
  if (unwatched === 0) return "watching";
  return `${countOf(unwatched, "part")} ${unwatched === 1 ? "is" : "are"} not watched`;
}

function Footer({ operator }: { readonly operator: string }) {
  const { shell } = here();
  return (
    <footer class="foot">
      <span>Tower {shell.version}</span>
      <span>Times in UTC{shell.zone === undefined ? "" : `, ${cityOf(shell.zone)} on hover`}</span>
      {shell.unwatched === undefined || shell.unwatched === null ? null : (
        <Watching unwatched={shell.unwatched} />
      )}
      <a href={paths.help}>Help</a>
      <button class="btn bare" type="button" data-open="keys" data-scripted hidden>
        Keyboard <kbd>?</kbd>
      </button>
      <form method="post" action={paths.signOut} class="row">
        <span>
          Signed in as <Told>{operator}</Told>
        </span>
        <button class="btn bare">Sign out</button>
      </form>
    </footer>
  );
}

function NoticeArea() {
  const { shell } = here();
  return (
    <div id="notice" aria-live="polite">
      {shell.notice === null ? null : (
        <Callout tone={shell.notice.tone}>
          <p hx-ignore>{shell.notice.words}</p>
        </Callout>
      )}
    </div>
  );
}

/** What is wrong with the service itself, above everything else: a page may look well while nothing is stored. */
function Warnings() {
  const { shell } = here();
  return (
    <div id="warnings">
      {(shell.warnings ?? []).map((words) => (
        <Callout tone="failing" role="status">
          <p hx-ignore>{words}</p>
        </Callout>
      ))}
    </div>
  );
}

/** A page for a signed-in operator: it refreshes itself (`Live`) unless it is what a form brought, or is `still`. */
export function Page(props: {
  readonly title: string;
  /** The navigation item it belongs to. */
  readonly current: string;
  /** The page is worked on, or is told once: it says as of when it is and never refreshes. */
  readonly still?: boolean;
  readonly children: Child;
}) {
  const { shell } = here();
  const still = props.still === true || shell.answersForm;
  return (
    <html lang="en">
      <Head title={props.title} />
      <body data-every={still ? undefined : PAGE_PERIOD}>
        <Sprite />
        <a class="skip" href="#main">
          Skip to content
        </a>
        <SampleBand />
        <TopBar current={props.current} still={still} />
        <main id="main" tabindex={-1} data-fresh>
          <Warnings />
          <NoticeArea />
          {props.children}
        </main>
        {shell.operator === null ? null : <Footer operator={shell.operator} />}
        <KeyboardDialog nav={shell.nav} />
        <FindDialog action={paths.portfolio} />
        <Glossary />
      </body>
    </html>
  );
}

/** A page before signing in: no navigation, one narrow column. */
export function Door(props: { readonly title: string; readonly children: Child }) {
  return (
    <html lang="en">
      <Head title={props.title} />
      <body>
        <Sprite />
        <SampleBand />
        <main id="main" class="door stack">
          <p class="brand">
            <Glyph name="brand" />
            Tower
          </p>
          <NoticeArea />
          {props.children}
        </main>
      </body>
    </html>
  );
}

/** Stored data that is not as it was written: what it is, and what of a page can be shown all the same. */

/** What reading came to: a value, or which row is damaged. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly damage: string };

/** Reads what may lie in a damaged row. */
export function readWhole<Value>(read: () => Value): Read<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof DamagedRow) return { ok: false, damage: error.message };
    throw error;
  }
}

/** Says that something of a page cannot be read, and what an operator does about it. */
export function DamageNote({ what, damage }: { readonly what: string; readonly damage: string }) {
  return (
    <Callout tone="failing" role="alert">
      <p>
        <b>{what} cannot be read.</b> Its stored data is damaged: <Told class="wrap">{damage}</Told>.
      </p>
      <p>
        <code>{TOWER_COMMAND} check</code> tells of all damage; a backup from before has it whole. Nothing
        that is shown elsewhere is made up for it.
      </p>
    </Callout>
  );
}

/** A page of a site; where what it needs is damaged, the damage under the site's own header, from which the rest is reached. */
export function wholeOrDamage(
  { site, tab }: { readonly site: SiteHead; readonly tab: SiteTab },
  page: () => Safe,
): Safe {
  const read = readWhole(page);
  if (read.ok) return read.value;
  return (
    <Page title={siteTitle(site)} current="sites">
      <SiteHeader site={site} current={tab} />
      <DamageNote what="A report that this page shows" damage={read.damage} />
      <p>
        <a href={paths.reports(site.asset)}>All reports of this site</a> are listed; those that lie elsewhere
        open as ever.
      </p>
    </Page>
  );
}

// How what is shown stays current; `public/live.js` does it. A page asks for itself, and one answer, read in one turn and so at one
// moment, renews every part of it that is marked `data-fresh`: no two numbers on it are of different times. It is morphed by ids, so
// that what is open, focused, ticked, typed, selected and in sight stays as the reader has it; what is marked `data-still` stays whole.
// After an act the page follows at once, unless what htmx swapped in is marked `data-apart`: it concerns nothing else.

/** How often a page asks for itself, in seconds, and never while it is hidden. */
const PAGE_PERIOD = 60;

/** A part with an address and a period of its own, beside its page's. It says itself when it was read. */
export function Live(props: {
  /** Stands on the page once: what is answered under this id is morphed into it. */
  readonly id: string;
  /** Null while nothing new can come: it stands still. */
  readonly href: string | null;
  /** In seconds. */
  readonly every: number;
  readonly class?: string;
  /** A screen reader says politely what it turns into. */
  readonly status?: boolean;
  readonly children: Child;
}) {
  const { id, href, every, status = false } = props;
  return (
    <div
      id={id}
      class={props.class}
      role={status ? "status" : undefined}
      aria-live={status ? "polite" : undefined}
      data-every={href === null ? undefined : every}
      data-ask={href ?? undefined}
    >
      {props.children}
    </div>
  );
}
