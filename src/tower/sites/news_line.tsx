/** One line of the morning view: what it says, what it opens to, and the shape and colour that its kind of thing has elsewhere. */

import { countWords as countOf } from "../../base/text.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { SEVERITIES, Told, Unseen } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { MOST_NAMED, type Morning } from "./lines.ts";
import {
  becameWords,
  type Change,
  FLAG_END,
  type FlagChange,
  flagsWords,
  type IntegrationChange,
  integrationWords,
  type Line,
  type SilenceChange,
  type SiteChange,
  silenceWords,
} from "./morning_change.ts";

export function NewsLine({ line, morning }: { readonly line: Line; readonly morning: Morning }) {
  const { now } = here();
  const { changes, to } = line;
  const [newest] = changes;
  if (newest === undefined) return null;
  const { said, items } = toldOf(line, newest, morning, now);
  return (
    <li id={`news-${Bun.hash(line.key).toString(36)}`} {...toneOf(changes, newest)}>
      <Glyph name={glyphOf(changes, newest)} />
      {items.length === 0 ? (
        <p>{said}</p>
      ) : (
        <details>
          <summary>{said}</summary>
          <ul>
            {items.map((item) => (
              <li>{item}</li>
            ))}
          </ul>
        </details>
      )}
      <small>
        <Moment at={to} />
      </small>
    </li>
  );
}

/** What a line says, and what it opens to; a line of one thing says that itself. */
function toldOf(
  line: Line,
  newest: Change,
  morning: Morning,
  now: number,
): { said: Child; items: readonly Child[] } {
  const { changes } = line;
  switch (newest.of) {
    case "flag":
      return flagsTold(line, changes as readonly FlagChange[], morning, now);
    case "silence":
      return sitesTold(
        line,
        silenceWords(newest),
        byName(changes as readonly SilenceChange[]).map(silentItem),
        newest.id,
      );
    case "site":
      return sitesTold(line, becameWords(newest), byName(changes as readonly SiteChange[]).map(siteItem));
    case "integration":
      return integrationTold(line, newest, morning, now);
  }
}

/** Sites are found by their names, whichever of them was told of first. */
function byName<One extends { readonly asset: string }>(changes: readonly One[]): readonly One[] {
  return changes.toSorted((one, other) => (one.asset < other.asset ? -1 : 1));
}

/** Whom it concerns first; where a whole account fails, all that fails for it. */
function integrationTold(line: Line, newest: IntegrationChange, morning: Morning, now: number) {
  const changes = line.changes as readonly IntegrationChange[];
  const labels = [...new Set(changes.map(({ label }) => label))].sort();
  const whole = changes.filter(({ asset, turn }) => asset === "" && turn === "begun");
  const held = whole.flatMap(({ capability }) => morning.affected.get(capability) ?? []);
  const sites = [...new Set([...line.sites, ...held])].sort();
  const what = labels.length === 1 ? newest.label : countOf(labels.length, "integration");
  const words = integrationWords(what, newest, line.from, now);
  const [site] = sites;
  const whom =
    site === undefined ? "A whole account" : sites.length === 1 ? site : countOf(sites.length, "site");
  const href = (one: string | undefined) =>
    one === undefined ? paths.integrations : paths.siteIntegrations(one);
  const items: readonly Child[] =
    sites.length > 1
      ? withMore(
          cut(sites).map((one) => <a href={href(one)}>{one}</a>),
          sites.length,
        )
      : [];
  const parts: readonly Child[] =
    labels.length === 1
      ? []
      : labels.map((label) => (sites.length > 1 ? label : <a href={href(site)}>{label}</a>));
  const opens = [...parts, ...items];
  return {
    said: (
      <>
        <b>{whom}</b> {opens.length === 0 ? <a href={href(site)}>{words}</a> : words}
      </>
    ),
    items: opens,
  };
}

function flagsTold(line: Line, flags: readonly FlagChange[], { titles }: Morning, now: number) {
  const [site = ""] = line.sites;
  const link = ({ id }: FlagChange): Child => (
    <a href={paths.flag(id)}>
      <Told>{titles.get(id) ?? "a flag"}</Told>
    </a>
  );
  const [only] = flags;
  if (flags.length === 1 && only !== undefined) {
    return {
      said: (
        <>
          <SiteLink site={site} /> {link(only)}
          {FLAG_END[only.turn]}
        </>
      ),
      items: [],
    };
  }
  return {
    said: (
      <>
        <b>{site}</b> {flagsWords(flags, now)}
      </>
    ),
    items: [<SiteLink site={site} />, ...withMore(cut(flags).map(link), flags.length)],
  };
}

/** `flag` is that of a site that stands alone. */
function sitesTold({ sites }: Line, words: string, items: readonly Child[], flag?: string) {
  const [site = ""] = sites;
  if (items.length > 1) {
    return { said: `${countOf(sites.length, "site")} ${words}`, items: withMore(cut(items), items.length) };
  }
  return {
    said: (
      <>
        {flag === undefined ? (
          <>
            {items} {words}
          </>
        ) : (
          <>
            <SiteLink site={site} /> <a href={paths.flag(flag)}>{words}</a>
          </>
        )}
      </>
    ),
    items: [],
  };
}

function silentItem({ asset, id, turn }: SilenceChange): Child {
  return (
    <>
      <SiteLink site={asset} />
      {turn === "begun" ? (
        <>
          {" "}
          <a href={paths.flag(id)}>
            its flag<Unseen> about {asset}</Unseen>
          </a>
        </>
      ) : null}
    </>
  );
}

function siteItem({ asset, became }: SiteChange): Child {
  return became === "removed" ? <b>{asset}</b> : <SiteLink site={asset} />;
}

function SiteLink({ site }: { readonly site: string }) {
  return (
    <a class="site" href={paths.site(site)}>
      {site}
    </a>
  );
}

const cut = <Item,>(items: readonly Item[]): readonly Item[] => items.slice(0, MOST_NAMED);

function withMore(items: readonly Child[], all: number): readonly Child[] {
  return all <= MOST_NAMED ? items : [...items, `and ${formatCount(all - MOST_NAMED)} more`];
}

/** Each kind of thing keeps the shape and colour that it has elsewhere. What is over has no colour. */
function toneOf(changes: readonly Change[], newest: Change) {
  if (newest.of === "flag") return newest.turn === "begun" ? { "data-sev": worstOf(changes) } : {};
  if (newest.of === "site" || newest.turn !== "begun") return {};
  return newest.of === "silence" ? { "data-site": "silent" } : { "data-state": "failing" };
}

function glyphOf(changes: readonly Change[], newest: Change): string {
  switch (newest.of) {
    case "flag":
      return `f-${worstOf(changes)}`;
    case "silence":
      return newest.turn === "begun" ? "r-silent" : "r-reporting";
    case "integration":
      return newest.turn === "begun" ? "s-failing" : "s-working";
    case "site":
      return newest.became === "retired" || newest.became === "removed" ? "r-retired" : "r-pre_launch";
  }
}

function worstOf(changes: readonly Change[]): string {
  return (
    SEVERITIES.find((severity) => changes.some((one) => one.of === "flag" && one.severity === severity)) ??
    "info"
  );
}
