import { listTokens, type SiteTokenBook } from "../../assets/mod.ts";
import { listAudit } from "../../audit/mod.ts";
import type { ConstantsKeeper } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { CALIBRATION_DAYS, expectedByChance } from "../../flow/mod.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { listApiTokens } from "../../operators/mod.ts";
import { Moment } from "../component/time.tsx";
import { countOf, formatDecimal } from "../format.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SettingsEntry, SettingsPage } from "./index_page.tsx";

/** What the overview of the settings needs. */
export interface SettingsIndexDeps extends PageDeps {
  readonly db: Db;
  readonly siteTokens: SiteTokenBook;
  readonly constants: Pick<ConstantsKeeper, "current" | "problem">;
}

/** `/settings`: the parts of the settings. */
export function settingsIndexRoutes(deps: SettingsIndexDeps) {
  return mounted(deps, [
    get(paths.settings, {}, ({ shell, actor, now }) => (
      <SettingsPage shell={shell} entries={entriesOf(deps, actor.name, now)} />
    )),
  ]);
}

function entriesOf(
  { db, constants, siteTokens }: SettingsIndexDeps,
  operator: string,
  now: number,
): SettingsEntry[] {
  const inEffect = constants.current();
  const days = CALIBRATION_DAYS[1];
  const chance = formatDecimal(expectedByChance(db, utcDayOf(now), days));
  const ofSites = listTokens(db).length + siteTokens.named().length;
  const [lastAct] = listAudit(db, { limit: 1 });
  const ofOperators = listApiTokens(db).length;
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
      standing: `about ${chance} expected by chance in ${days} days`,
    },
    {
      href: paths.tokens,
      words: "Tokens",
      purpose: "What sites and CI send with.",
      standing: `${countOf(ofSites, "site token")}, ${countOf(ofOperators, "operator token")}`,
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
