/** A flag's record: what each run saw, and everything that was done with the flag, by whom and when. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { ACT_NAMES, ACTS } from "../../flags/acts.ts";
import { titleOf } from "../../flags/api.ts";
import type { FlagRow, RuleInputs } from "../../flags/flags.ts";
import type { FlagHistory, FlagRecordRow } from "../../flags/store.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { DateOf, inputFacts, Moment } from "../kit/proof.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { Facts } from "../kit/term.tsx";
import { plainAddress } from "../site/key_cell.tsx";
import { flagHref, type InboxQuery, type OpenedFlag } from "./inbox.ts";
import { resolutionWords } from "./outcome.ts";

/** What each run of a lasting condition saw, newest first. */
export function EvidenceRecord({ history }: { history: FlagHistory }) {
  const { now } = here();
  const { evidence, runs } = history;
  if (runs === 0) return null;
  const note =
    evidence.length < runs ? `newest ${evidence.length} of ${formatCount(runs)} runs` : countOf(runs, "run");
  return (
    <Block heading="What each run saw" note={`${note}, newest first`}>
      <ol class="past">
        {evidence.map((entry) => (
          <li>
            <Moment at={parseInstant(entry.at) ?? 0} />
            <Facts facts={inputFacts(objectAt(entry.data, "reading"), now)} />
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** What earlier reports said of the same lasting thing, newest first. */
export function EarlierReadings({
  flag,
  query,
}: {
  flag: Pick<OpenedFlag, "row" | "earlier">;
  query: InboxQuery;
}) {
  const { now } = here();
  const { earlier } = flag;
  const { since, reports } = flag.row.chain;
  if (earlier.length === 0) return null;
  const all = reports - 1;
  const shown = earlier.length < all ? `newest ${earlier.length} of ${formatCount(all)}` : formatCount(all);
  return (
    <Block
      heading={`Earlier ${readingWord(flag.row)}s`}
      note={[shown, ", since ", <DateOf at={parseInstant(since) ?? 0} />]}
    >
      <ol class="past">
        {earlier.map((one) => (
          <li>
            <Moment at={parseInstant(one.raised_at) ?? 0} />
            <span>
              {one.severity === flag.row.severity ? "" : `${one.severity}: `}
              <a href={flagHref(one.id, query)}>
                <Told class="wrap">{titleOf(one, now)}</Told>
              </a>
            </span>
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** Raising, acts and resolving, newest first. */
export function Past({ history }: { history: FlagHistory }) {
  return (
    <ol class="past">
      {history.acts.map((entry) => (
        <li>
          <Moment at={parseInstant(entry.at) ?? 0} />
          <span>{sentenceOf(entry)}</span>
        </li>
      ))}
    </ol>
  );
}

function sentenceOf({ type, actor, data }: FlagRecordRow): Child {
  if (type === "raised") {
    if (data["again"] === true) return <RaisedAgain lost={data["lost"]} />;
    const until = momentAt(data, "snoozed_until") ?? momentAt(objectAt(data, "set"), "snoozed_until");
    if (until === undefined) return actor === "site" ? "Sent by the site." : "Raised.";
    return (
      <>
        Raised while a snooze ran, until <Moment at={until} />.
      </>
    );
  }
  if (type === "renewed") return "Raised again later.";
  if (type === "resolved") return `Resolved. ${resolutionWords(String(data["resolution"]))}`;
  const act = ACT_NAMES.find((name) => name === data["act"]);
  const { text } = data;
  const until = act === "snooze" ? momentAt(objectAt(data, "set"), "snoozed_until") : undefined;
  return (
    <>
      <Told>{actorName(actor)}</Told>{" "}
      {until === undefined
        ? act === undefined
          ? "acted"
          : ACTS[act].words.did
        : ["snoozed it until ", <Moment at={until} />]}
      {typeof text === "string" ? [": ", <Told class="wrap">{text}</Told>] : "."}
    </>
  );
}

function RaisedAgain({ lost }: { lost: unknown }) {
  if (typeof lost !== "string") return <>Raised again.</>;
  return (
    <>
      Raised again, worse than before: the acknowledgement of <Told>{lost}</Told> fell away.
    </>
  );
}

function actorName(actor: string): string {
  return actor.startsWith("operator:") ? actor.slice("operator:".length) : actor;
}

function objectAt(data: RuleInputs, name: string): RuleInputs {
  const value = data[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as RuleInputs) : {};
}

function momentAt(data: RuleInputs, name: string): number | undefined {
  const value = data[name];
  if (typeof value === "number") return value;
  return typeof value === "string" ? parseInstant(value) : undefined;
}

/** URLs that are seen at once. */
const OPEN = 10;

/** The URLs of a flag's inputs; undefined of a flag that is no provider's issue. */
export function issueUrls({
  rule,
  rule_inputs,
}: Pick<FlagRow, "rule" | "rule_inputs">): string[] | undefined {
  const urls = rule_inputs?.["urls"];
  if (ruleOf(rule)?.judges !== "issue" || !Array.isArray(urls)) return undefined;
  return urls.filter((url) => typeof url === "string");
}

/** Text, never links: what stands in them is whatever a crawler met. */
export function IssueUrls({ row, urls }: { row: Pick<FlagRow, "rule_inputs">; urls: readonly string[] }) {
  const { url_count: count } = row.rule_inputs ?? {};
  const all = typeof count === "number" ? count : urls.length;
  const rest = urls.slice(OPEN);
  const note =
    urls.length < all ? `the first ${formatCount(urls.length)} of ${formatCount(all)}` : formatCount(all);
  return (
    <Block heading="URLs" note={note}>
      <List urls={urls.slice(0, OPEN)} />
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more URL")}</summary>
          <List urls={rest} />
        </details>
      )}
    </Block>
  );
}

function List({ urls }: { urls: readonly string[] }) {
  return (
    <ul class="urls">
      {urls.map((url) => (
        <li>
          <Told class="mono wrap">{plainAddress(url)}</Told>
        </li>
      ))}
    </ul>
  );
}
