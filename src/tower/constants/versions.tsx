/** The kept versions of the constants document: the list, and one version with what it changed. */
import { type ConstantsVersion, type ConstantsVersionSummary, lineDifference } from "../../constants/mod.ts";
import { Block } from "../component/block.tsx";
import { Copy } from "../component/copy.tsx";
import { DataTable } from "../component/table.tsx";
import { Unseen } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";
import { editorAddress, versionsAddress } from "./address.ts";
import { Author } from "./author.tsx";
import { Difference } from "./difference.tsx";

/** Versions as rows, newest first. */
export function VersionTable({
  versions,
  inEffect,
  now,
}: {
  readonly versions: readonly ConstantsVersionSummary[];
  readonly inEffect: number;
  readonly now: number;
}) {
  return (
    <DataTable
      fold
      caption="Versions"
      items={versions}
      id={({ id }) => `version-${id}`}
      columns={[
        {
          words: "Version",
          names: true,
          cell: ({ id }) => (
            <>
              <a href={paths.constantsVersion(id)}>Version {id}</a>{" "}
              {id === inEffect ? <span class="tag">in effect</span> : null}
            </>
          ),
        },
        {
          words: "In effect from",
          label: "From",
          cell: (version) => <Moment at={version.took_effect_at} now={now} />,
        },
        { words: "By", label: true, cell: ({ author }) => <Author author={author} /> },
        {
          words: "Action",
          unseen: true,
          class: "act",
          cell: ({ id }) =>
            id === inEffect ? null : (
              <a href={restoreHref(id)}>
                Restore<Unseen> version {id}</Unseen>
              </a>
            ),
        },
      ]}
    />
  );
}

/** Puts an old text into the editor; saving it is a step of its own. */
function restoreHref(version: number): string {
  return `${paths.constants}${editorAddress.search({ from: version })}`;
}

/** A page of the whole list. */
export function VersionsPage(props: {
  readonly shell: Shell;
  readonly versions: readonly ConstantsVersionSummary[];
  readonly inEffect: number;
  /** The version the next page starts before; null at the end. */
  readonly next: number | null;
  readonly isFirst: boolean;
}) {
  const { shell, next } = props;
  return (
    <SettingsPage
      shell={shell}
      part={paths.constants}
      title="Versions of the constants"
      crumb={
        <>
          <a href={paths.constants}>Constants</a> / versions
        </>
      }
    >
      <Block heading="Versions" note="newest first">
        <VersionTable versions={props.versions} inEffect={props.inEffect} now={shell.now} />
        <nav class="pager row" aria-label="Pages">
          {props.isFirst ? null : (
            <a class="btn" href={paths.constantsVersions}>
              Newest
            </a>
          )}
          {next === null ? null : (
            <a
              class="btn"
              rel="next"
              href={`${paths.constantsVersions}${versionsAddress.search({ before: next })}`}
            >
              Older →
            </a>
          )}
        </nav>
      </Block>
    </SettingsPage>
  );
}

/** One version: what it changed against the one before it, if there is one, and its text. */
export function VersionPage(props: {
  readonly shell: Shell;
  readonly version: ConstantsVersion;
  readonly before: ConstantsVersion | undefined;
  readonly after: ConstantsVersion | undefined;
  readonly inEffect: number;
}) {
  const { shell, version, before, after, inEffect } = props;
  const hunks = before === undefined ? [] : lineDifference(before.document, version.document);
  return (
    <Page shell={shell} title={`Version ${version.id} of the constants`} current="settings">
      <div class="stack tight">
        <p class="crumb">
          <a href={paths.constants}>Constants</a> / <a href={paths.constantsVersions}>versions</a>
        </p>
        <div class="row">
          <h1>Version {version.id}</h1>
          {version.id === inEffect ? <span class="tag">in effect</span> : null}
        </div>
        <p class="note">
          In effect from <Moment at={version.took_effect_at} now={shell.now} />, by{" "}
          <Author author={version.author} />
        </p>
      </div>
      <Block
        heading={before === undefined ? "The first version" : `What it changed against version ${before.id}`}
        tools={
          <>
            {before === undefined ? null : <a href={paths.constantsVersion(before.id)}>← Earlier</a>}
            {after === undefined ? null : <a href={paths.constantsVersion(after.id)}>Later →</a>}
          </>
        }
      >
        {before === undefined ? (
          <p>No document was in effect before it.</p>
        ) : hunks.length === 0 ? (
          <p>No line differs.</p>
        ) : (
          <Difference hunks={hunks} caption={`From version ${before.id} to ${version.id}`} />
        )}
      </Block>
      <Block
        heading="Text"
        tools={
          version.id === inEffect ? undefined : (
            <a class="btn" href={restoreHref(version.id)}>
              Put it into the editor
            </a>
          )
        }
      >
        <Copy id="document" label="document" text={version.document} />
      </Block>
    </Page>
  );
}
