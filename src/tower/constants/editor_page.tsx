import type { ConstantsInEffect, ConstantsProblem, ConstantsVersionSummary } from "../../constants/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { LongTextField } from "../component/field.tsx";
import { Form } from "../component/form.tsx";
import { Marked } from "../component/term.tsx";
import { Moment } from "../component/time.tsx";
import { countOf } from "../format.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";
import { Author } from "./author.tsx";
import { Difference } from "./difference.tsx";
import type { Draft } from "./draft.ts";
import { Problems } from "./problems.tsx";
import { VersionTable } from "./versions.tsx";

export interface EditorPageProps {
  readonly shell: Shell;
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

/** The constants document: what is in effect, what is wrong, the editor, and what saving would change. */
export function EditorPage(props: EditorPageProps) {
  const { shell, inEffect, draft } = props;
  return (
    <SettingsPage shell={shell} part={paths.constants} title="Constants" still>
      <FileProblem props={props} />
      <Meanwhile draft={draft} />
      <Mistakes draft={draft} />
      <Editor props={props} />
      <Block
        heading="Versions"
        note="every document that took effect is kept"
        tools={props.hasMoreVersions ? <a href={paths.constantsVersions}>All versions</a> : undefined}
      >
        <VersionTable versions={props.versions} inEffect={inEffect.version} now={shell.now} />
      </Block>
    </SettingsPage>
  );
}

function FileProblem({ props }: { readonly props: EditorPageProps }) {
  const { problem, inEffect, shell } = props;
  if (problem === undefined) return null;
  return (
    <Callout tone="failing" id="file-problem">
      <p>
        <b>The file on disk is not in effect</b> since <Moment at={problem.since} now={shell.now} />. The last
        good version is in effect: version {inEffect.version}.
      </p>
      {problem.reason === "invalid" ? (
        <Problems text={props.textOnDisk} problems={problem.problems} more={problem.more} />
      ) : (
        <p>
          {problem.reason === "missing"
            ? "The file is missing. Saving here writes it again."
            : "The file cannot be read. Saving here writes it anew."}
        </p>
      )}
    </Callout>
  );
}

function Meanwhile({ draft }: { readonly draft: Draft }) {
  const { because, meanwhile = [] } = draft.note;
  if (because !== "conflict") return null;
  return (
    <Callout tone="stale" role="alert" id="conflict">
      <p>
        <b>The document changed while you edited it.</b> Nothing was saved and your text is kept below. Saving
        it now would also take back what the other author changed; copy that over first if it is to stay.
      </p>
      {meanwhile.length === 0 ? null : <Difference hunks={meanwhile} caption="What changed meanwhile" />}
    </Callout>
  );
}

function Mistakes({ draft: { standing, text } }: { readonly draft: Draft }) {
  if (standing.state !== "invalid") return null;
  const count = standing.problems.length + standing.more;
  return (
    <Callout tone="failing" role="alert" id="refused">
      <p>
        <b>This text cannot take effect: {countOf(count, "mistake")}.</b> Nothing was saved; your text is kept
        below.
      </p>
      <Problems text={text} problems={standing.problems} more={standing.more} />
    </Callout>
  );
}

function Editor({ props }: { readonly props: EditorPageProps }) {
  const { draft, inEffect, shell } = props;
  const { standing } = draft;
  return (
    <Form
      action={paths.constants}
      class="stack editor"
      autocomplete="off"
      hidden={[["digest", draft.digest]]}
    >
      <Pending props={props} />
      <Block
        heading="Constants document"
        note={
          <>
            version {inEffect.version} in effect since <Moment at={inEffect.tookEffectAt} now={shell.now} />,
            by <Author author={inEffect.author} />
          </>
        }
      >
        <LongTextField
          name="text"
          label="Text"
          help={
            <Marked>
              TOML. A key that is left out has its default; a comment starts with #. Words of the rules:
              alpha, window, Poisson, dispersion, percent drop, complexity.
            </Marked>
          }
          error={standing.state === "invalid" ? "Each mistake stands above with its line." : undefined}
          value={draft.text}
          rows={26}
          spellcheck="false"
          wrap="off"
          hx-ignore
        />
        <div class="row">
          <button class={standing.state === "pending" ? "btn" : "btn primary"} name="act" value="show">
            Show what would change
          </button>
          {standing.state === "untouched" ? null : (
            <a class="btn" href={paths.constants}>
              Discard
            </a>
          )}
        </div>
      </Block>
    </Form>
  );
}

function Pending({ props }: { readonly props: EditorPageProps }) {
  const { draft, inEffect, restored } = props;
  const { standing, note } = draft;
  if (standing.state === "unchanged") {
    return (
      <Callout role="status" id="unchanged">
        <p>No line differs from version {inEffect.version}, which is in effect.</p>
      </Callout>
    );
  }
  if (standing.state !== "pending") return null;
  return (
    <Block
      id="pending"
      heading={restored === null ? "What would change" : `What restoring version ${restored} would change`}
      note={`against version ${inEffect.version}`}
    >
      {note.because === "edited-since" ? (
        <p role="alert">
          The text was edited after the difference was shown. Nothing was saved; this is the difference now.
        </p>
      ) : null}
      {standing.hunks.length === 0 ? (
        <p>
          No threshold changes: the text is that of version {inEffect.version}. Saving puts it in place of the
          file on disk.
        </p>
      ) : (
        <Difference hunks={standing.hunks} caption="What would change" />
      )}
      <div class="row">
        <input type="hidden" name="shown" value={standing.shown} />
        <button class="btn primary" name="act" value="save">
          {standing.hunks.length === 0 ? "Save" : `Save as version ${inEffect.version + 1}`}
        </button>
        <span class="note">
          Takes effect with the next run. Open flags keep the thresholds they were raised with.
        </span>
      </div>
    </Block>
  );
}
