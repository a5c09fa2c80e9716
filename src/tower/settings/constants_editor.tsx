/** The editor of the constants document: the preview of a change, mistakes by line, and the form. */

import { sha256Hex } from "../../base/keys.ts";
import { countWords as countOf } from "../../base/text.ts";
import { type DifferenceHunk, lineDifference } from "../../sites/constants_diff.ts";
import type { ConstantsVersionSummary } from "../../sites/constants_document.ts";
import { parseConstants } from "../../sites/constants_parse.ts";
import type { ConstantsProblem, DocumentOnDisk } from "../../sites/constants_store.ts";
import type { ConstantsInEffect } from "../../sites/file_mirror.ts";
import type { Problem } from "../../sites/toml.ts";
import { Block } from "../kit/block.tsx";
import { LongTextField } from "../kit/field.tsx";
import { Code, Go, Told, Unseen } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { Form } from "../kit/shown_once.tsx";
import { Marked } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { Author, Difference, VersionTable } from "./constants_versions.tsx";
import { SettingsPage } from "./settings.tsx";

/** A text in the editor, with its state. */
export interface Draft {
  /** With plain line ends, as a form shows it. */
  readonly text: string;
  /** Digest of the document that was edited; saving expects it unchanged. */
  readonly digest: string;
  readonly standing: DraftState;
  readonly note: DraftNote;
}

/** The note above the difference. */
interface DraftNote {
  readonly because?: "conflict" | "edited-since" | "restored";
  /** The change of another author, where the document before it is known. */
  readonly meanwhile?: readonly DifferenceHunk[] | undefined;
}

type DraftState =
  /** As it is on disk. */
  | { readonly state: "untouched" }
  /** It differs in no line from what is in effect. */
  | { readonly state: "unchanged" }
  | { readonly state: "invalid"; readonly problems: readonly Problem[]; readonly more: number }
  | {
      readonly state: "pending";
      /** From the text in effect to this one. */
      readonly hunks: readonly DifferenceHunk[];
      /** Digest of this text: the confirming form sends it, so that only what was shown is saved. */
      readonly shown: string;
    };

/** The document a draft is made on. */
export interface Ground {
  readonly document: DocumentOnDisk;
  /** Of the version in effect; the document differs from it while it has a mistake. */
  readonly textInEffect: string;
}

/** The text on disk. */
export function untouched({ document }: Ground): Draft {
  const text = plainLines(document.text);
  return { text, digest: document.digest, standing: { state: "untouched" }, note: {} };
}

/** Compares a text with the document on disk and the text in effect. */
export function judgeDraft(text: string, ground: Ground, note: DraftNote = {}): Draft {
  const plain = plainLines(text);
  return { text: plain, digest: ground.document.digest, standing: standingOf(plain, ground), note };
}

function standingOf(text: string, { document, textInEffect }: Ground): DraftState {
  const parsed = parseConstants(text);
  if (!parsed.ok) return { state: "invalid", problems: parsed.problems, more: parsed.more };
  const hunks = lineDifference(textInEffect, text);
  const mends = plainLines(document.text) !== plainLines(textInEffect);
  if (hunks.length === 0 && !mends) return { state: "unchanged" };
  return { state: "pending", hunks, shown: shownDigest(text) };
}

/** The digest by which a confirming form names the text it was shown. */
export function shownDigest(text: string): string {
  return sha256Hex(plainLines(text));
}

/** A form sends CRLF whatever it was given. */
function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Lines shown before and after a line with a mistake. */
const AROUND = 1;

/** The mistakes of a text; `more` of them are not listed. */
function Problems({ text, problems, more }: { text: string; problems: readonly Problem[]; more: number }) {
  const lines = text.split(/\r?\n/);
  return (
    <ol class="problems">
      {problems.map((problem) => (
        <li>
          <p>
            <b>Line {problem.line}</b>
            {problem.key === "" ? null : [", ", <Code>{problem.key}</Code>]}: <Told>{problem.message}</Told>
          </p>
          <Excerpt lines={lines} at={problem.line} />
        </li>
      ))}
      {more > 0 ? <li>and {countOf(more, "more mistake")}</li> : null}
    </ol>
  );
}

function Excerpt({ lines, at }: { lines: readonly string[]; at: number }) {
  const first = Math.max(1, at - AROUND);
  const shown = lines.slice(first - 1, at + AROUND);
  if (shown.every((line) => line.trim() === "")) return null;
  return (
    <table class="diff one" role="table">
      <caption class="vh">Lines around line {at}</caption>
      <tbody role="rowgroup">
        {shown.map((line, index) => {
          const bad = first + index === at;
          return (
            <tr role="row" data-d={bad ? "wrong" : undefined}>
              <td role="cell" class="no">
                {first + index}
                {bad ? <Unseen> with the mistake</Unseen> : null}
              </td>
              <td role="cell">
                <Told>{line}</Told>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface EditorPageProps {
  /** The version whose thresholds every rule uses now. */
  readonly inEffect: Pick<ConstantsInEffect, "version" | "tookEffectAt" | "author">;
  /** Why the file on disk is not in effect; undefined while it is. */
  readonly problem: ConstantsProblem | undefined;
  /** The text of the file on disk. */
  readonly textOnDisk: string;
  readonly draft: Draft;
  /** The version that was put into the editor; null when none was. */
  readonly restored: number | null;
  /** The newest versions. */
  readonly versions: readonly ConstantsVersionSummary[];
  readonly hasMoreVersions: boolean;
}

export function EditorPage(props: EditorPageProps) {
  const { inEffect, draft, problem } = props;
  const { because, meanwhile = [] } = draft.note;
  return (
    <SettingsPage part={paths.constants} title="Constants" still>
      {problem === undefined ? null : (
        <Callout tone="failing" id="file-problem">
          <p>
            <b>The file on disk is not in effect</b> since <Moment at={problem.since} />. The last good
            version is in effect: version {inEffect.version}.
          </p>
          {problem.reason === "invalid" ? (
            <Problems text={props.textOnDisk} problems={problem.problems} more={problem.more} />
          ) : (
            <p>
              {problem.reason === "missing"
                ? "The file is missing. Saving here writes it again."
                : "The file cannot be read. Saving here replaces it."}
            </p>
          )}
        </Callout>
      )}
      {because !== "conflict" ? null : (
        <Callout tone="stale" role="alert" id="conflict">
          <p>
            <b>The document changed while you edited it.</b> Nothing was saved; your text is kept below. Copy
            the other author's changes into it before you save, or they are lost.
          </p>
          {meanwhile.length === 0 ? null : (
            <Difference hunks={meanwhile} caption="The other author's changes" />
          )}
        </Callout>
      )}
      <Mistakes draft={draft} />
      <Editor props={props} />
      <Block
        heading="Versions"
        tools={props.hasMoreVersions ? <a href={paths.constantsVersions}>All versions</a> : undefined}
      >
        <VersionTable versions={props.versions} inEffect={inEffect.version} />
      </Block>
    </SettingsPage>
  );
}

function Mistakes({ draft: { standing, text } }: { draft: Draft }) {
  if (standing.state !== "invalid") return null;
  const count = standing.problems.length + standing.more;
  return (
    <Callout tone="failing" role="alert" id="refused">
      <p>
        <b>Couldn't save: {countOf(count, "mistake")}.</b> Your text is kept below.
      </p>
      <Problems text={text} problems={standing.problems} more={standing.more} />
    </Callout>
  );
}

function Editor({ props }: { props: EditorPageProps }) {
  const { draft, inEffect, restored } = props;
  const { standing, note } = draft;
  return (
    <Form
      action={paths.constants}
      class="stack editor"
      autocomplete="off"
      hidden={[["digest", draft.digest]]}
    >
      {standing.state === "unchanged" ? (
        <Callout role="status" id="unchanged">
          <p>No change from version {inEffect.version}, which is in effect.</p>
        </Callout>
      ) : standing.state !== "pending" ? null : (
        <Block
          id="pending"
          heading={restored === null ? "Changes" : `Changes by restoring version ${restored}`}
          note={`against version ${inEffect.version}`}
        >
          {note.because === "edited-since" ? (
            <p role="alert">
              The text was edited after the preview. Nothing was saved; this is the new preview.
            </p>
          ) : null}
          {standing.hunks.length === 0 ? (
            <p>The text is that of version {inEffect.version}. Saving replaces the file on disk with it.</p>
          ) : (
            <Difference hunks={standing.hunks} caption="Changes" />
          )}
          <div class="row">
            <input type="hidden" name="shown" value={standing.shown} />
            <button class="btn primary" name="act" value="save">
              {standing.hunks.length === 0 ? "Save" : `Save as version ${inEffect.version + 1}`}
            </button>
            <span class="note">Takes effect with the next run. Open flags keep their thresholds.</span>
          </div>
        </Block>
      )}
      <Block
        heading="Constants document"
        note={
          <>
            version {inEffect.version} in effect since <Moment at={inEffect.tookEffectAt} />, by{" "}
            <Author author={inEffect.author} />
          </>
        }
      >
        <LongTextField
          name="text"
          label="Text"
          help={
            <Marked>
              TOML. A missing key has its default. Terms: alpha, window, Poisson, dispersion, percent drop,
              complexity.
            </Marked>
          }
          error={standing.state === "invalid" ? "Each mistake is listed above with its line." : undefined}
          value={draft.text}
          rows={26}
          spellcheck="false"
          wrap="off"
          hx-ignore
        />
        <div class="row">
          <button class={standing.state === "pending" ? "btn" : "btn primary"} name="act" value="show">
            Preview changes
          </button>
          {standing.state === "untouched" ? null : <Go to={paths.constants} words="Discard" />}
        </div>
      </Block>
    </Form>
  );
}
