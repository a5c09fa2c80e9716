/** What a codebase report was measured with, and of which commit. */

import { entryOf } from "../../base/contract.ts";
import { commitAddress, repositoryAddress } from "../../base/repository.ts";
import { parseInstant } from "../../base/time.ts";
import type { ReportView } from "../../reports/codebase_view.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Code, OutsideLink, Told } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { Facts } from "../kit/term.tsx";

const TOOL_WORDS: Readonly<Record<string, string>> = {
  image: "Image",
  line_counter: "Line counter",
  duplication: "Duplication",
  complexity: "Complexity",
  unused: "Unused code",
  dependencies: "Packages",
  history: "History",
};

/** A tool in words, where it is one of ours. */
export function toolWords(tool: string): string {
  return entryOf(TOOL_WORDS, tool) ?? tool;
}

/** The commit that was measured, as a link where its repository's host is known to have one. */
export function Commit(props: { readonly repository: ReportView["repository"]; readonly short?: boolean }) {
  const { commit, remote } = props.repository ?? {};
  if (commit === undefined) return null;
  const words = (
    <code title={commit} class="wrap" hx-ignore>
      {props.short === true ? commit.slice(0, 7) : commit}
    </code>
  );
  const address = remote === undefined ? undefined : commitAddress(remote, commit);
  if (address === undefined) return words;
  return (
    <a href={address} rel="noreferrer noopener">
      {words}
    </a>
  );
}

/** The repository that was measured, as a link where its remote says a web address. */
function Repository({ remote }: { readonly remote: string }) {
  const address = repositoryAddress(remote);
  return address === undefined ? <Told class="wrap">{remote}</Told> : <OutsideLink address={address} />;
}

/** Tools with their versions, paths, repository and commit. */
export function MeasuredWith(props: { readonly report: Pick<ReportView, "tools" | "paths" | "repository"> }) {
  const { tools, repository, paths: measured } = props.report;
  const facts: (readonly [string, Child])[] = Object.entries(tools ?? {}).map(([name, version]) => [
    toolWords(name),
    <Code>{version}</Code>,
  ]);
  if (facts.length === 0) facts.push(["Tools", "The report does not name its tools."]);
  if (measured !== undefined && measured.length > 0) {
    facts.push([
      "Paths",
      measured.map((path, index) => (
        <>
          {index === 0 ? null : ", "}
          <Code>{path}</Code>
        </>
      )),
    ]);
  }
  if (repository?.remote !== undefined) facts.push(["Repository", <Repository remote={repository.remote} />]);
  if (repository?.ref !== undefined) facts.push(["Ref", <Code>{repository.ref}</Code>]);
  if (repository?.commit !== undefined) facts.push(["Commit", <Commit repository={repository} />]);
  const committed = parseInstant(repository?.committedAt ?? "");
  if (committed !== undefined) facts.push(["Committed", <Moment at={committed} />]);
  return (
    <Block heading="Measured with">
      <div hx-ignore>
        <Facts facts={facts} />
      </div>
    </Block>
  );
}
