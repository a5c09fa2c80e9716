/** The URLs that a provider reports with an issue, as the latest report named them. */

import { countWords as countOf } from "../../base/text.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Told } from "../kit/links.tsx";
import { plainAddress } from "../site/key_cell.tsx";

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
