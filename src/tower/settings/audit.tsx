/** `/settings/audit`: every act that changed something, newest first. */

import { type AuditRow, listNewest as listAudit } from "../../access/audit.ts";
import type { PageGround } from "../ground.ts";
import { address, DAY, FilterForm, Filters, instantsOf, named, ROW } from "../kit/address.tsx";
import { Go, Told } from "../kit/links.tsx";
import { EarlierPager, Empty, List, stretchOf } from "../kit/list.tsx";
import { Moment, plainWords } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

/** Longest name that a link filters by: `operator:` and the longest name of an operator, in code units. */
const LONGEST = 512;

/** Which acts are shown; the list goes on before a row. */
const auditAddress = address({
  actor: named(LONGEST, null),
  act: named(LONGEST, null),
  target: named(LONGEST, null),
  from: DAY,
  to: DAY,
  before: ROW,
});
const auditHref = auditAddress.at(paths.audit);
const WORDS = { actor: "By", act: "Act", target: "Target", from: "From", to: "To" };

const PAGE_SIZE = 50;
/** Longest name that stays on one line, in code units. */
const LONGEST_LINE = 24;

/** A click on an actor, act or target filters by it. */
export function auditRoutes(deps: PageGround) {
  return mounted(deps, [
    get(paths.audit, { query: auditAddress }, ({ query, now }) => {
      const found = listAudit(deps.db, { ...query, ...instantsOf(query), limit: PAGE_SIZE + 1 });
      const { items: acts, last } = stretchOf(found, PAGE_SIZE);
      const filter = { path: paths.audit, address: auditAddress, query, words: WORDS };
      const narrowing = (name: "actor" | "act" | "target") => (row: AuditRow) => {
        const words = row[name].replace(/^operator:/, "");
        return (
          <a href={auditHref({ ...query, [name]: row[name], before: null })}>
            <Told class={words.length > LONGEST_LINE ? "wrap" : "nowrap"}>{words}</Told>
          </a>
        );
      };
      return (
        <SettingsPage part={paths.audit} title="Audit">
          <FilterForm {...filter} />
          <div id="acts" class="stack tight">
            <Filters {...filter} />
            <List
              of="Acts, newest first"
              items={acts}
              empty={
                <Empty alone heading="No act matches">
                  <p>Try other days, or remove a filter.</p>
                  <Go to={paths.audit} words="Show all acts" />
                </Empty>
              }
              id={({ id }) => `act-${id}`}
              columns={[
                ["When", ({ at }) => <Moment at={at} />, { class: "nowrap" }],
                ["By", narrowing("actor")],
                ["Act", narrowing("act"), { class: "nowrap" }],
                ["Target", narrowing("target")],
                [
                  "Details",
                  ({ detail }) => <Told class="wrap">{wordsOf(detail, now)}</Told>,
                  { class: "all" },
                ],
              ]}
            />
            <EarlierPager
              from={query.before}
              next={last?.id}
              href={(before) => auditHref({ ...query, before })}
            />
          </div>
        </SettingsPage>
      );
    }),
  ]);
}

/** The details of an act, such as `lifecycle: retired`. */
function wordsOf(detail: string, now: number): string {
  const parts = Object.entries(JSON.parse(detail) as Readonly<Record<string, unknown>>);
  return parts
    .map(([name, value]) =>
      // Of a property that is attached: the one before it. The code of a location is no count.
      name === "before" && value === null
        ? "was not attached"
        : `${name.replaceAll("_", " ")}: ${name === "location" ? value : value === null ? "none" : plainWords(value, now)}`,
    )
    .join("; ");
}
