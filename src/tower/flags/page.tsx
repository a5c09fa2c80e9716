import { type FlagRow, titleOf } from "../../flags/mod.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { SilentNote } from "../component/site_state.tsx";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import { type ArticleProps, FlagArticle } from "./article.tsx";
import { FilterForm, FlagsHead, inboxTitle } from "./head.tsx";
import { FlagsForm, FlagsList } from "./list.tsx";
import type { Outcome } from "./outcome.ts";
import { OutcomeBar } from "./outcome_bar.tsx";
import type { InboxView } from "./view.ts";

export interface FlagsPageProps {
  readonly shell: Shell;
  readonly view: InboxView;
  /** The site whose tab it is; undefined for the inbox of all sites. */
  readonly site?: SiteHead | undefined;
  /** The opened flag, beside the list on a wide screen and in its place on a phone. */
  readonly opened?: ArticleProps | undefined;
  /** How many flags chance alone would raise, as a sentence. */
  readonly chance?: string | undefined;
  /** What the last act did. */
  readonly outcome?: Outcome | null;
}

/** The inbox, or the tab of a site. */
export function FlagsPage(props: FlagsPageProps) {
  const { shell, view, site, opened, outcome = null } = props;
  const title = inboxTitle(view);
  const about =
    site !== undefined
      ? siteTitle(site)
      : opened === undefined
        ? undefined
        : openedWords(opened.flag.row, shell.now);
  return (
    <Page
      shell={shell}
      title={about === undefined ? title : `${about} · ${title}`}
      current={site === undefined ? "flags" : "sites"}
    >
      {site === undefined ? (
        <div class="head">
          <h1>Flags</h1>
        </div>
      ) : (
        <>
          <SiteHeader site={site} current="flags" />
          <SilentNote site={site} now={shell.now} />
        </>
      )}
      <div class="flags-top">
        <FlagsHead view={view} now={shell.now} chance={props.chance} />
        <FilterForm view={view} />
      </div>
      <div id="inbox" class={opened === undefined ? "inbox shut" : "inbox open"}>
        <FlagsForm view={view} now={shell.now} current={opened?.flag.row.id} />
        {opened === undefined ? null : <FlagArticle {...opened} />}
      </div>
      <OutcomeBar outcome={outcome} now={shell.now} />
    </Page>
  );
}

/**
 * What an answer to htmx brings: the list with its heading, the opened flag when it was acted on, and what the act did.
 */
export function FlagsParts(
  props: Omit<FlagsPageProps, "shell"> & {
    readonly now: number;
    /** The flag that stands open beside the list, which is marked there. */
    readonly current: FlagRow | undefined;
    /** What htmx asked for; the other parts are brought along. */
    readonly asked: "flag" | "list";
  },
) {
  const { view, now, opened, outcome = null, current, asked } = props;
  const title = inboxTitle(view);
  return (
    <>
      <title>{`${current === undefined ? title : `${openedWords(current, now)} · ${title}`} – Tower`}</title>
      {opened === undefined ? null : <FlagArticle {...opened} swap={asked === "list"} />}
      <FlagsList view={view} now={now} current={current?.id} swap={asked === "flag"} />
      <FlagsHead view={view} now={now} chance={props.chance} swap />
      <OutcomeBar outcome={outcome} now={now} swap />
    </>
  );
}

/** An opened flag in the name of its page: what it says, and whose it is. */
function openedWords(row: FlagRow, now: number): string {
  return `${shorten(titleOf(row, now))} · ${row.asset}`;
}

const MOST_TITLE = 60;

function shorten(words: string): string {
  const letters = [...words];
  return letters.length <= MOST_TITLE ? words : `${letters.slice(0, MOST_TITLE - 1).join("")}…`;
}
