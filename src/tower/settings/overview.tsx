import { listTokens, type SiteTokenBook } from "../../assets/mod.ts";
import { listAudit } from "../../audit/mod.ts";
import { listCalendars } from "../../calendars/store.ts";
import { listChannels } from "../../channels/store.ts";
import type { ConstantsStore } from "../../constants/mod.ts";
import { listAttachments, listCredentials } from "../../credentials/mod.ts";
import type { Db } from "../../db/mod.ts";
import { CALIBRATION_DAYS, expectedByChance } from "../../flow/mod.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import type { ObjectStore } from "../../objects/contract.ts";
import { listApiTokens, listOperators } from "../../operators/mod.ts";
import { listPanels } from "../../panels/store.ts";
import type { Config } from "../../platform/config.ts";
import { listWallLinks } from "../../wall_links/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { DataTable } from "../component/table.tsx";
import { Marked } from "../component/term.tsx";
import { Code } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatDecimal } from "../format.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { SettingsPage } from "./settings_page.tsx";

/** What the overview of the settings needs. */
export interface OverviewDeps extends PageDeps {
  readonly db: Db;
  readonly siteTokens: SiteTokenBook;
  readonly constants: Pick<ConstantsStore, "current" | "problem">;
  readonly config: Pick<Config, "trustedAuthHeader" | "trustedProxySecret">;
  readonly objects: Pick<ObjectStore, "where">;
}

/** `/settings`: the parts of the settings with how each stands. */
export function overviewRoutes(deps: OverviewDeps) {
  return mounted(deps, [
    get(paths.settings, {}, ({ shell, actor, now }) => (
      <Overview
        shell={shell}
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
  readonly shell: Shell;
  readonly parts: ReturnType<typeof partsOf>;
  readonly unproved: string | null;
  /** Where the archive lies; never a secret. */
  readonly archiveAt: string;
}) {
  const { shell, parts, unproved } = props;
  return (
    <SettingsPage shell={shell} part={paths.settings} title="Settings">
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
        <DataTable
          fold
          caption="Parts of the settings"
          items={parts}
          columns={[
            {
              words: "Part",
              names: true,
              cell: ({ href, words }) => (
                <a href={href} data-row>
                  {words}
                </a>
              ),
            },
            { words: "What it is for", class: "all", cell: ({ purpose }) => purpose },
            { words: "Now", label: true, cell: ({ standing }) => standing },
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
          version {inEffect.version}, since <Moment at={inEffect.tookEffectAt} now={now} />
          {constants.problem === undefined ? null : (
            <>
              {"; "}
              <span class="bad">the file on disk is not in effect</span>
            </>
          )}
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
      href: paths.wallLinks,
      words: "Wall",
      purpose: "Links that open the Wall on a screen where nobody signs in.",
      standing: countOf(listWallLinks(db).length, "link"),
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
      standing:
        lastAct === undefined ? (
          "no act yet"
        ) : (
          <>
            last act <Moment at={lastAct.at} now={now} />
          </>
        ),
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
