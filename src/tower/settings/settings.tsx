/**
 * `/settings`: the overview of its parts, and the frame that all of them share.
 *
 * Thresholds: `constants.tsx` (the document), `tune.tsx` (one metric or rule, tried on what is stored), `calibration.tsx`.
 * Accounts: `credentials.tsx`, `credential.tsx`, `new_credential.tsx`, and `attachments.tsx` for whose property is whose.
 * Telling and asking: `notices.tsx`, `calendars.tsx`, `panels.tsx`. Who may: `tokens.tsx`, `operators.tsx`, `sessions.tsx`, `sign_in.tsx`,
 * `audit.tsx`. Each holds its page and its routes; begin with `overviewRoutes`.
 */

import { listApiTokens } from "../../access/api_tokens.ts";
import { listNewest as listAudit } from "../../access/audit.ts";
import { listKioskTokens } from "../../access/kiosk_tokens.ts";
import { listOperators } from "../../access/operators.ts";
import type { Config } from "../../base/config.ts";
import { countWords as countOf } from "../../base/text.ts";
import { utcDayOf } from "../../base/time.ts";
import { listChannels } from "../../notices/channels.ts";
import { listAttachments } from "../../providers/attachments.ts";
import { listCredentials } from "../../providers/credentials.ts";
import { CALIBRATION_DAYS, expectedByChance } from "../../rules/calibration.ts";
import { listPanels } from "../../signals/panels.ts";
import { listCalendars } from "../../sites/calendars.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { listTokens, type SiteTokenBook } from "../../sites/site_tokens.ts";
import type { ObjectStore } from "../../store/objects.ts";
import type { Db } from "../../store/store.ts";
import { formatDecimal } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Code, HelpLink } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { Tabs } from "../kit/site_state.tsx";
import { Marked } from "../kit/term.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";

/** What the overview of the settings needs. */
const PARTS = [
  [paths.settings, "Overview"],
  [paths.constants, "Constants"],
  [paths.calibration, "Calibration"],
  [paths.credentials, "Credentials"],
  [paths.notices, "Notices"],
  [paths.calendars, "Calendars"],
  [paths.panels, "Search panels"],
  [paths.tokens, "Tokens"],
  [paths.kioskTokens, "Wall"],
  [paths.operators, "Operators"],
  [paths.audit, "Audit"],
  [paths.sessions, "Sessions"],
] as const;

/** What the manual says of a part. */
const HELP = new Map<string, readonly [to: string, about: string]>([
  [paths.constants, [paths.helpAbout("rules", "thresholds"), "thresholds"]],
  [paths.calibration, [paths.helpAbout("rules", "what-the-rules-compare"), "what the rules compare"]],
  [paths.credentials, [paths.helpPage("providers"), "connecting Google and Bing"]],
  [paths.notices, [paths.helpAbout("operating", "notices"), "notices"]],
  [paths.calendars, [paths.helpAbout("providers", "calendars"), "calendars"]],
  [paths.panels, [paths.helpAbout("providers", "search-panels"), "search panels"]],
  [paths.tokens, [paths.helpAbout("sending", "tokens"), "tokens"]],
]);

/** A page of the settings, under the links to all of them. */
export function SettingsPage(props: {
  /** The part it belongs to, by its address. */
  readonly part: (typeof PARTS)[number][0];
  readonly title: string;
  /** The heading, where it is more than the title's words. */
  readonly heading?: Child;
  /** Where it stands below its part. */
  readonly crumb?: Child;
  readonly note?: Child;
  /** It is worked on, and never refreshes. */
  readonly still?: boolean;
  readonly children: Child;
}) {
  const { part, title, crumb, note } = props;
  const help = HELP.get(part);
  const tabs = PARTS.map(([href, words]) => ({ href, words, current: href === part }));
  return (
    <Page title={title} current="settings" still={props.still ?? false}>
      <div class="stack tight">
        {crumb === undefined ? null : <p class="crumb">{crumb}</p>}
        <h1>{props.heading ?? title}</h1>
        <Tabs label="Settings" tabs={tabs} />
        {note === undefined ? null : <p class="note">{note}</p>}
        {help === undefined ? null : <HelpLink to={help[0]} about={help[1]} />}
      </div>
      {props.children}
    </Page>
  );
}

interface OverviewDeps extends PageDeps {
  readonly db: Db;
  readonly siteTokens: SiteTokenBook;
  readonly constants: Pick<ConstantsStore, "current" | "problem">;
  readonly config: Pick<Config, "trustedAuthHeader" | "trustedProxySecret">;
  readonly objects: Pick<ObjectStore, "where">;
}

/** `/settings`: the parts of the settings with how each stands. */
export function overviewRoutes(deps: OverviewDeps) {
  return mounted(deps, [
    get(paths.settings, {}, ({ actor, now }) => (
      <Overview
        parts={partsOf(deps, actor.name, now)}
        unproved={unprovedHeader(deps.config)}
        archiveAt={deps.objects.where}
      />
    )),
  ]);
}

/** The header that names operators without a proof that the proxy wrote it; null where there is none. */
function unprovedHeader({ trustedAuthHeader, trustedProxySecret }: OverviewDeps["config"]): string | null {
  return trustedProxySecret === undefined ? (trustedAuthHeader ?? null) : null;
}

function Overview(props: {
  readonly parts: ReturnType<typeof partsOf>;
  readonly unproved: string | null;
  /** Where the archive lies; never a secret. */
  readonly archiveAt: string;
}) {
  const { parts, unproved } = props;
  return (
    <SettingsPage part={paths.settings} title="Settings">
      {unproved === null ? null : (
        <Callout tone="stale">
          <p>
            The reverse proxy names the operator in <code>{unproved}</code>, and Tower believes it as it
            comes. A proxy that forgets to set the header lets its callers name themselves. With{" "}
            <code>TRUSTED_PROXY_SECRET</code> set, the proxy has to write that secret before the name.
          </p>
        </Callout>
      )}
      <Block heading="Parts">
        <List
          of="Parts of the settings"
          items={parts}
          columns={[
            [
              "Part",
              ({ href, words }) => (
                <a href={href} data-row>
                  {words}
                </a>
              ),
            ],
            ["What it is for", ({ purpose }) => purpose, { class: "all" }],
            ["Now", ({ standing }) => standing],
          ]}
        />
        <p class="note">
          A site's address, lifecycle, metric families and tokens are on its own Settings tab. How the service
          is reached and where it keeps its data is set by its environment: whole reports lie in{" "}
          <Code>{props.archiveAt}</Code> (<code>RAW_SIGNALS</code>), as <a href={paths.archive}>Archive</a>{" "}
          shows.
        </p>
      </Block>
    </SettingsPage>
  );
}

/** Each part: where it is, what it is for, and how it stands. */
function partsOf({ db, constants, siteTokens }: OverviewDeps, operator: string, now: number) {
  const inEffect = constants.current();
  const days = CALIBRATION_DAYS[1];
  const chance = formatDecimal(expectedByChance(db, utcDayOf(now), days));
  const ofSites = listTokens(db).length + siteTokens.named().length;
  const [lastAct] = listAudit(db, { limit: 1 });
  const ofOperators = listApiTokens(db).length;
  const operators = listOperators(db);
  const people = operators.filter(({ kind }) => kind === "person").length;
  return [
    {
      href: paths.constants,
      words: "Constants",
      purpose: "The thresholds that rules judge by, for all sites and for single ones.",
      standing: (
        <>
          version {inEffect.version}, since <Moment at={inEffect.tookEffectAt} />
          {constants.problem === undefined
            ? null
            : ["; ", <span class="bad">the file on disk is not in effect</span>]}
        </>
      ),
    },
    {
      href: paths.calibration,
      words: "Calibration",
      purpose: "How often flow rules raise flags, beside how often chance alone would.",
      standing: <Marked>{`about ${chance} expected by chance in ${days} days`}</Marked>,
    },
    {
      href: paths.credentials,
      words: "Credentials",
      purpose:
        "What Tower asks analytics, search console, webmaster tools and DataForSEO with, and whose properties are attached.",
      standing: credentialWords(db),
    },
    {
      href: paths.notices,
      words: "Notices",
      purpose: "Who is notified of flags and failing integrations, by mail, chat or webhook.",
      standing: countOf(listChannels(db).length, "channel"),
    },
    {
      href: paths.calendars,
      words: "Calendars",
      purpose: "Outside events on the timeline, read from .ics addresses.",
      standing: countOf(listCalendars(db).length, "calendar"),
    },
    {
      href: paths.panels,
      words: "Search panels",
      purpose: "Where sites stand in Google's results for a keyword, and what that costs.",
      standing: countOf(listPanels(db).length, "panel"),
    },
    {
      href: paths.tokens,
      words: "Tokens",
      purpose: "What sites and CI send with.",
      standing: `${countOf(ofSites, "site token")}, ${countOf(ofOperators, "operator token")}`,
    },
    {
      href: paths.kioskTokens,
      words: "Wall",
      purpose: "Links that open the Wall on a screen where nobody signs in.",
      standing: countOf(listKioskTokens(db).length, "link"),
    },
    {
      href: paths.operators,
      words: "Operators",
      purpose: "Who signs in here, and which services hold tokens.",
      standing: `${countOf(people, "person", "people")}, ${countOf(operators.length - people, "service")}`,
    },
    {
      href: paths.audit,
      words: "Audit",
      purpose: "Who changed what, and when.",
      standing: lastAct === undefined ? "no act yet" : ["last act ", <Moment at={lastAct.at} />],
    },
    {
      href: paths.sessions,
      words: "Sessions and password",
      purpose: "Where you are signed in, and your password.",
      standing: `signed in as ${operator}`,
    },
  ];
}

/** "2 credentials, 31 sites attached"; nothing is said of whether they work. */
function credentialWords(db: Db): string {
  const attached = new Set(listAttachments(db).map(({ asset }) => asset)).size;
  return `${countOf(listCredentials(db).length, "credential")}, ${countOf(attached, "site")} attached`;
}
