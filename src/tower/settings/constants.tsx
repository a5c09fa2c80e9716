/** `/settings/constants`: editing the constants document. A change is shown before it is saved, a mistake by its line. */

import { sha256Hex } from "../../base/keys.ts";
import { StorageUnavailable } from "../../base/storage_fault.ts";
import { countWords as countOf } from "../../base/text.ts";
import { listVersions } from "../../sites/constants_document.ts";
import { type DifferenceHunk, lineDifference } from "../../sites/constants_edit.ts";
import { parseConstants } from "../../sites/constants_parse.ts";
import { MAX_DOCUMENT_BYTES } from "../../sites/constants_schema.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import type { Problem } from "../../sites/toml.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Form, LongTextField } from "../kit/field.tsx";
import { Code, Go, Told } from "../kit/links.tsx";
import { Block, EarlierPager, stretchOf } from "../kit/list.tsx";
import { Marked, Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { Author, Difference, editorAddress, knownVersion, VersionTable } from "./constants_versions.tsx";
import { SettingsPage } from "./settings.tsx";

/** Reads a changed file before a page shows it. A full disk, which keeps the version from being recorded, does not fail the page. */
export async function lookAtFile(constants: Pick<ConstantsStore, "refresh">): Promise<void> {
  try {
    await constants.refresh();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}

/**
 * A form percent-encodes line ends and quotes. Twice the bound of the document lets the editor answer a text that is a little too
 * long, with the rule, instead of a bare refusal.
 */
const DOCUMENT_FORM_BYTES = 2 * MAX_DOCUMENT_BYTES;
/** Versions on one page. */
const PAGE_SIZE = 20;

/** Saving needs the password again, a preview does not. */
const isSaving = (form: URLSearchParams): boolean => form.get("act") === "save";

export function constantsRoutes(deps: PageGround) {
  const { db, constants } = deps;
  return mounted(deps, [
    get(paths.constants, { query: editorAddress }, async ({ query: { from, before } }) => {
      await lookAtFile(constants);
      if (from === null) return editorPage(deps, untouched(constants), before);
      const { document } = knownVersion(db, from);
      return editorPage(deps, { ...judgeDraft(document, constants), restored: from });
    }),
    get(paths.constantsVersions, {}, () => seeOther(paths.constants)),
    confirmed({ isAct: isSaving, maxBytes: DOCUMENT_FORM_BYTES }).post(
      paths.constants,
      {},
      async ({ form, page, by }) => {
        const text = form.get("text") ?? "";
        const digest = form.get("digest") ?? "";
        const again = (draft: Draft, status: number) => page(editorPage(deps, draft), { status });
        const saved = () => seeOther(withNotice(paths.constants, "constants-saved"));
        const inConflict = () => {
          const draft = judgeDraft(text, constants);
          // Sent twice by a double click, it finds itself in effect: that is no conflict.
          const isDone = isSaving(form) && draft.standing.state === "unchanged";
          return isDone ? saved() : again({ ...draft, hasConflict: true }, 409);
        };
        await lookAtFile(constants);
        if (digest !== constants.document().digest) return inConflict();
        const draft = judgeDraft(text, constants);
        if (draft.standing.state === "invalid") return again(draft, 422);
        if (!isSaving(form) || draft.standing.state !== "pending") return editorPage(deps, draft);
        if (form.get("shown") !== shownDigest(text)) return editorPage(deps, { ...draft, editedSince: true });
        const result = await constants.save(draft.text, { author: by.actor }, digest);
        if (result.ok) return saved();
        return result.reason === "conflict" ? inConflict() : again(judgeDraft(text, constants), 422);
      },
    ),
  ]);
}

/** A text in the editor, with its state. */
interface Draft {
  /** With plain line ends, as a form shows it. */
  readonly text: string;
  /** Digest of the document that was edited; saving expects it unchanged. */
  readonly digest: string;
  readonly standing: DraftState;
  /** Another author changed the document while it was edited. */
  readonly hasConflict?: true;
  /** It was edited after its preview. */
  readonly editedSince?: true;
  /** The version that was put into the editor. */
  readonly restored?: number;
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

/** The text on disk. */
function untouched(constants: ConstantsStore): Draft {
  const { text, digest } = constants.document();
  return { text: plainLines(text), digest, standing: { state: "untouched" } };
}

/** Compares a text with the document on disk and the text in effect; they differ while the document has a mistake. */
function judgeDraft(sent: string, constants: ConstantsStore): Draft {
  const text = plainLines(sent);
  const document = constants.document();
  return {
    text,
    digest: document.digest,
    standing: standingOf(text, document.text, constants.current().text),
  };
}

function standingOf(text: string, onDisk: string, inEffect: string): DraftState {
  const parsed = parseConstants(text);
  if (!parsed.ok) return { state: "invalid", problems: parsed.problems, more: parsed.more };
  const hunks = lineDifference(inEffect, text);
  const mends = plainLines(onDisk) !== plainLines(inEffect);
  if (hunks.length === 0 && !mends) return { state: "unchanged" };
  return { state: "pending", hunks, shown: shownDigest(text) };
}

/** The digest by which a confirming form names the text it was shown. */
function shownDigest(text: string): string {
  return sha256Hex(plainLines(text));
}

/** A form sends CRLF whatever it was given. */
function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function editorPage({ db, constants }: PageGround, draft: Draft, before: number | null = null) {
  const { problem } = constants;
  const inEffect = constants.current();
  const { items: versions, last } = stretchOf(
    listVersions(db, PAGE_SIZE + 1, before ?? undefined),
    PAGE_SIZE,
  );
  const { standing } = draft;
  return (
    <SettingsPage part={paths.constants} title="Constants" still>
      {problem === undefined ? null : (
        <Callout tone="failing" id="file-problem">
          <p>
            <b>The file on disk is not in effect</b> since <Moment at={problem.since} />. The last good
            version is in effect: version {inEffect.version}.
          </p>
          {problem.reason === "invalid" ? (
            <Problems text={constants.document().text} problems={problem.problems} more={problem.more} />
          ) : (
            <p>
              {problem.reason === "missing"
                ? "The file is missing. Saving here writes it again."
                : "The file cannot be read. Saving here replaces it."}
            </p>
          )}
        </Callout>
      )}
      {draft.hasConflict !== true ? null : (
        <Callout tone="stale" role="alert" id="conflict">
          <p>
            <b>The document changed while you edited it.</b> Nothing was saved; your text is kept below. What
            the other author added shows as removed: copy it into your text before you save, or it is lost.
          </p>
        </Callout>
      )}
      {standing.state !== "invalid" ? null : (
        <Callout tone="failing" role="alert" id="refused">
          <p>
            <b>Couldn't save: {countOf(standing.problems.length + standing.more, "mistake")}.</b> Your text is
            kept below.
          </p>
          <Problems text={draft.text} problems={standing.problems} more={standing.more} />
        </Callout>
      )}
      <Editor draft={draft} inEffect={inEffect} />
      <Block heading="Versions" id="versions" note="newest first">
        <VersionTable versions={versions} inEffect={inEffect.version} />
        <EarlierPager
          from={before}
          next={last?.id}
          href={(before) => `${paths.constants}${editorAddress.search({ before })}`}
        />
      </Block>
    </SettingsPage>
  );
}

function Editor(props: {
  readonly draft: Draft;
  /** The version whose thresholds every rule uses now. */
  readonly inEffect: ReturnType<ConstantsStore["current"]>;
}) {
  const { draft, inEffect } = props;
  const { standing, restored } = draft;
  return (
    <Form action={paths.constants} class="stack editor" autocomplete="off" hidden={{ digest: draft.digest }}>
      {standing.state === "unchanged" ? (
        <Callout role="status" id="unchanged">
          <p>No change from version {inEffect.version}, which is in effect.</p>
        </Callout>
      ) : standing.state !== "pending" ? null : (
        <Block
          id="pending"
          heading={restored === undefined ? "Changes" : `Changes by restoring version ${restored}`}
          note={`against version ${inEffect.version}`}
        >
          {draft.editedSince === true ? (
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
          autofocus={false}
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

/** The mistakes of a text, each with its line; `more` of them are not listed. */
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
          <Code>{lines[problem.line - 1] ?? ""}</Code>
        </li>
      ))}
      {more > 0 ? <li>and {countOf(more, "more mistake")}</li> : null}
    </ol>
  );
}
