/** The kept versions of the constants document, and `/settings/constants/versions/{version}`: one of them with its change. */

import { orNotFound } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import {
  type ConstantsVersion,
  type ConstantsVersionSummary,
  FILE_AUTHOR,
  findVersion,
  listVersions,
  SERVICE_AUTHOR,
} from "../../sites/constants_document.ts";
import { type DifferenceHunk, lineDifference } from "../../sites/constants_edit.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { address, ROW } from "../kit/address.tsx";
import { Copy } from "../kit/field.tsx";
import { Go, Told, Unseen } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

/** The version that is put into the editor, and the one that the list of versions starts before. */
export const editorAddress = address({ from: ROW, before: ROW });

export function knownVersion(db: Db, id: number | null | undefined): ConstantsVersion {
  return orNotFound(
    typeof id !== "number" ? undefined : findVersion(db, id),
    "No such version of the constants document.",
  );
}

export function constantsVersionRoutes(deps: PageGround) {
  const { db, constants } = deps;
  return mounted(deps, [
    get(paths.constantsVersion, {}, ({ params }) => {
      const version = knownVersion(db, ROW.read(params.version));
      const [summary] = listVersions(db, 1, version.id);
      const before = summary === undefined ? undefined : findVersion(db, summary.id);
      const after = findVersion(db, version.id + 1);
      const inEffect = constants.current().version;
      const hunks = before === undefined ? [] : lineDifference(before.document, version.document);
      return (
        <SettingsPage
          part={paths.constants}
          title={`Version ${version.id} of the constants`}
          heading={
            <>
              Version {version.id} {version.id === inEffect ? <span class="tag">in effect</span> : null}
            </>
          }
          crumb={[<a href={paths.constants}>Constants</a>, " / versions"]}
          note={
            <>
              In effect from <Moment at={version.took_effect_at} />, by <Author author={version.author} />
            </>
          }
        >
          <Block
            heading={before === undefined ? "The first version" : `Changes from version ${before.id}`}
            tools={
              <>
                {before === undefined ? null : <a href={paths.constantsVersion(before.id)}>← Earlier</a>}
                {after === undefined ? null : <a href={paths.constantsVersion(after.id)}>Later →</a>}
              </>
            }
          >
            {before === undefined ? (
              <p>It is the first document.</p>
            ) : hunks.length === 0 ? (
              <p>No change.</p>
            ) : (
              <Difference hunks={hunks} caption={`From version ${before.id} to ${version.id}`} />
            )}
          </Block>
          <Block
            heading="Text"
            tools={version.id === inEffect ? undefined : <Go to={restoreHref(version.id)} words="Restore" />}
          >
            <Copy id="document" label="document" text={version.document} />
          </Block>
        </SettingsPage>
      );
    }),
  ]);
}

export function Author({ author }: { author: string }) {
  if (author === FILE_AUTHOR) return <>a text editor</>;
  if (author === SERVICE_AUTHOR) return <>Tower itself</>;
  return <Told class="wrap">{author.replace(/^operator:/, "")}</Told>;
}

/** Most lines shown; the rest are counted. */
const MOST_LINES = 1_000;

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

function numbered(hunks: readonly DifferenceHunk[]) {
  return hunks.flatMap((hunk, place) => {
    let before = hunk.beforeLine;
    let after = hunk.afterLine;
    return hunk.lines.map((line, index) => ({
      ...line,
      before: line.kind === "added" ? null : before++,
      after: line.kind === "removed" ? null : after++,
      /** Lines in between are the same and left out. */
      gap: place > 0 && index === 0,
    }));
  });
}

/** The lines that differ, with those around them and both line numbers. */
export function Difference({ hunks, caption }: { hunks: readonly DifferenceHunk[]; caption: string }) {
  const lines = numbered(hunks);
  const more = lines.length - MOST_LINES;
  return (
    <>
      <table class="diff" role="table">
        <caption class="vh">{caption}</caption>
        <thead class="vh" role="rowgroup">
          <tr role="row">
            {["Line before", "Line after", "Change", "Text"].map((words) => (
              <th scope="col" role="columnheader">
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {lines.slice(0, MOST_LINES).map((line) => (
            <>
              {line.gap ? (
                <tr class="gap" role="row">
                  <td role="cell" colspan={4}>
                    <Unseen>Unchanged lines are left out.</Unseen>
                  </td>
                </tr>
              ) : null}
              <tr role="row" data-d={line.kind === "same" ? undefined : line.kind}>
                <td role="cell" class="no">
                  {line.before}
                </td>
                <td role="cell" class="no">
                  {line.after}
                </td>
                <td role="cell" class="sign">
                  <span aria-hidden="true">{SIGNS[line.kind]}</span>
                  {line.kind === "same" ? null : <Unseen>{line.kind}</Unseen>}
                </td>
                <td role="cell">
                  <Told>{line.text}</Told>
                </td>
              </tr>
            </>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p class="note">{countOf(more, "more line")}</p> : null}
    </>
  );
}

/** Versions as rows, newest first. */
export function VersionTable({
  versions,
  inEffect,
}: {
  readonly versions: readonly ConstantsVersionSummary[];
  readonly inEffect: number;
}) {
  return (
    <List
      of="Versions"
      items={versions}
      id={({ id }) => `version-${id}`}
      columns={[
        [
          "Version",
          ({ id }) => (
            <>
              <a href={paths.constantsVersion(id)}>Version {id}</a>{" "}
              {id === inEffect ? <span class="tag">in effect</span> : null}
            </>
          ),
        ],
        ["In effect from", (version) => <Moment at={version.took_effect_at} />, { label: "From" }],
        ["By", ({ author }) => <Author author={author} />],
        [
          "Action",
          ({ id }) =>
            id === inEffect ? null : (
              <a href={restoreHref(id)}>
                Restore<Unseen> version {id}</Unseen>
              </a>
            ),
          { class: "act", unseen: true },
        ],
      ]}
    />
  );
}

/** Puts an old text into the editor; saving it is a step of its own. */
function restoreHref(version: number): string {
  return `${paths.constants}${editorAddress.search({ from: version })}`;
}
