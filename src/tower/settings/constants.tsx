/** `/settings/constants`: editing the constants document, and its kept versions. */

import { Problem } from "../../base/problem.ts";
import { StorageUnavailable } from "../../base/storage_fault.ts";
import { lineDifference } from "../../sites/constants_diff.ts";
import { findVersion, listVersions } from "../../sites/constants_document.ts";
import { MAX_DOCUMENT_BYTES } from "../../sites/constants_schema.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import type { Db } from "../../store/store.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { ROW } from "../kit/address.tsx";
import { type ConfirmDeps, confirmed } from "../kit/confirmed_form.tsx";
import { get, mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import {
  type Draft,
  EditorPage,
  type Ground,
  judgeDraft,
  shownDigest,
  untouched,
} from "./constants_editor.tsx";
import { editorAddress, VersionPage, VersionsPage, versionsAddress } from "./constants_versions.tsx";

/** Reads a changed file before a page shows it. A full disk, which keeps the version from being recorded, does not fail the page. */
export async function lookAtFile(constants: Pick<ConstantsStore, "refresh">): Promise<void> {
  try {
    await constants.refresh();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}

interface ConstantsRoutesDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsStore;
}

/**
 * A form percent-encodes line ends and quotes. Twice the bound of the document lets the editor answer a text that is a little too
 * long, with the rule, instead of a bare refusal.
 */
const DOCUMENT_FORM_BYTES = 2 * MAX_DOCUMENT_BYTES;
const FEW_VERSIONS = 10;
const PAGE_OF_VERSIONS = 50;
/** Most versions that are searched for the document an operator edited. */
const MOST_SOUGHT = 500;

/** `/settings/constants`: the editor and the kept versions. */
export function constantsRoutes(deps: ConstantsRoutesDeps) {
  const { db, constants } = deps;
  const { post } = confirmed({ isAct: isSaving, maxBytes: DOCUMENT_FORM_BYTES });
  return mounted(deps, [
    get(paths.constants, { query: editorAddress }, async (visit) => {
      const { from } = visit.query;
      await lookAtFile(constants);
      if (from === null) return editor(deps, untouched(groundOf(constants)));
      const { document } = getVersion(db, from);
      return editor(deps, judgeDraft(document, groundOf(constants), { because: "restored" }), from);
    }),
    post(paths.constants, {}, async (visit) => {
      const { form, page } = visit;
      const text = form.get("text") ?? "";
      const digest = form.get("digest") ?? "";
      const inConflict = () => page(editor(deps, conflict(deps, text, digest)), { status: 409 });
      await lookAtFile(constants);
      const ground = groundOf(constants);
      if (digest !== ground.document.digest) return inConflict();
      const draft = judgeDraft(text, ground);
      if (draft.standing.state === "invalid") return page(editor(deps, draft), { status: 422 });
      if (!isSaving(form) || draft.standing.state !== "pending") return editor(deps, draft);
      if (form.get("shown") !== shownDigest(text)) {
        return editor(deps, { ...draft, note: { because: "edited-since" } });
      }
      const result = await constants.save(draft.text, { author: visit.by.actor }, digest);
      if (result.ok) return seeOther(withNotice(paths.constants, "constants-saved"));
      if (result.reason === "conflict") return inConflict();
      return page(editor(deps, judgeDraft(text, groundOf(constants))), { status: 422 });
    }),
    get(paths.constantsVersions, { query: versionsAddress }, ({ query: { before } }) => {
      const found = listVersions(db, PAGE_OF_VERSIONS + 1, before ?? undefined);
      const versions = found.slice(0, PAGE_OF_VERSIONS);
      return (
        <VersionsPage
          versions={versions}
          inEffect={constants.current().version}
          next={found.length > PAGE_OF_VERSIONS ? (versions.at(-1)?.id ?? null) : null}
          isFirst={before === null}
        />
      );
    }),
    get(paths.constantsVersion, {}, ({ params }) => {
      const version = getVersion(db, ROW.read(params.version));
      const [summary] = listVersions(db, 1, version.id);
      return (
        <VersionPage
          version={version}
          before={summary === undefined ? undefined : findVersion(db, summary.id)}
          after={findVersion(db, version.id + 1)}
          inEffect={constants.current().version}
        />
      );
    }),
  ]);
}

/** Saving needs the password again, a preview does not. */
function isSaving(form: URLSearchParams): boolean {
  return form.get("act") === "save";
}

function getVersion(db: Db, id: number | null | undefined) {
  const version = typeof id !== "number" ? undefined : findVersion(db, id);
  if (version === undefined) throw new Problem("not-found", "No such version of the constants document.");
  return version;
}

function groundOf(constants: ConstantsStore): Ground {
  return { document: constants.document(), textInEffect: constants.current().text };
}

/** The file changed while it was edited: the text is kept, and the other change is shown where it is known. */
function conflict({ db, constants }: ConstantsRoutesDeps, text: string, digest: string): Draft {
  const ground = groundOf(constants);
  const summary = listVersions(db, MOST_SOUGHT).find((version) => version.digest === digest);
  const edited = summary === undefined ? undefined : findVersion(db, summary.id);
  const meanwhile = edited === undefined ? undefined : lineDifference(edited.document, ground.document.text);
  return judgeDraft(text, ground, { because: "conflict", meanwhile });
}

function editor({ db, constants }: ConstantsRoutesDeps, draft: Draft, restored?: number) {
  const versions = listVersions(db, FEW_VERSIONS + 1);
  return (
    <EditorPage
      inEffect={constants.current()}
      problem={constants.problem}
      textOnDisk={constants.document().text}
      draft={draft}
      restored={restored ?? null}
      versions={versions.slice(0, FEW_VERSIONS)}
      hasMoreVersions={versions.length > FEW_VERSIONS}
    />
  );
}
