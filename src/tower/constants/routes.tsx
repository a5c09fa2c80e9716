import {
  type ConstantsStore,
  findVersion,
  lineDifference,
  listVersions,
  MAX_DOCUMENT_BYTES,
} from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { type ConfirmDeps, confirmed } from "../confirm/confirmed_form.tsx";
import { withNotice } from "../cookies.ts";
import { ROW } from "../kit/address.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { Shell } from "../shell.ts";
import { editorAddress, versionsAddress } from "./address.ts";
import { type Draft, type Ground, judgeDraft, shownDigest, untouched } from "./draft.ts";
import { EditorPage } from "./editor_page.tsx";
import { lookAtFile } from "./look.ts";
import { VersionPage, VersionsPage } from "./versions.tsx";

/** What the pages of the constants document need. */
export interface ConstantsRoutesDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsStore;
}

/**
 * The document is the longest text a form carries, and its line ends and quotes are percent-encoded. Twice its bound lets a text that
 * is a little too long be answered by the editor, with the rule, instead of by a bare refusal.
 */
const DOCUMENT_FORM_BYTES = 2 * MAX_DOCUMENT_BYTES;
const FEW_VERSIONS = 10;
const PAGE_OF_VERSIONS = 50;
/** How many versions are looked through for the document an operator's text was made from. */
const MOST_SOUGHT = 500;

/** `/settings/constants`: the editor and the kept versions. */
export function constantsRoutes(deps: ConstantsRoutesDeps) {
  const { db, constants } = deps;
  const { post } = confirmed({ isAct: isSaving, maxBytes: DOCUMENT_FORM_BYTES });
  return mounted(deps, [
    get(paths.constants, { query: editorAddress }, async (visit) => {
      const { from } = visit.query;
      await lookAtFile(constants);
      if (from === null) return editor(deps, visit, untouched(groundOf(constants)));
      const { document } = getVersion(db, from);
      return editor(deps, visit, judgeDraft(document, groundOf(constants), { because: "restored" }), from);
    }),
    post(paths.constants, {}, async (visit) => {
      const { form, page } = visit;
      const text = form.get("text") ?? "";
      const digest = form.get("digest") ?? "";
      const inConflict = () => page(editor(deps, visit, conflict(deps, text, digest)), { status: 409 });
      await lookAtFile(constants);
      const ground = groundOf(constants);
      if (digest !== ground.document.digest) return inConflict();
      const draft = judgeDraft(text, ground);
      if (draft.standing.state === "invalid") return page(editor(deps, visit, draft), { status: 422 });
      if (!isSaving(form) || draft.standing.state !== "pending") return editor(deps, visit, draft);
      if (form.get("shown") !== shownDigest(text)) {
        return editor(deps, visit, { ...draft, note: { because: "edited-since" } });
      }
      const result = await constants.save(draft.text, { author: visit.by.actor }, digest);
      if (result.ok) return seeOther(withNotice(paths.constants, "constants-saved"));
      if (result.reason === "conflict") return inConflict();
      return page(editor(deps, visit, judgeDraft(text, groundOf(constants))), { status: 422 });
    }),
    get(paths.constantsVersions, { query: versionsAddress }, ({ shell, query: { before } }) => {
      const found = listVersions(db, PAGE_OF_VERSIONS + 1, before ?? undefined);
      const versions = found.slice(0, PAGE_OF_VERSIONS);
      return (
        <VersionsPage
          shell={shell}
          versions={versions}
          inEffect={constants.current().version}
          next={found.length > PAGE_OF_VERSIONS ? (versions.at(-1)?.id ?? null) : null}
          isFirst={before === null}
        />
      );
    }),
    get(paths.constantsVersion, {}, ({ shell, params }) => {
      const version = getVersion(db, ROW.read(params.version));
      const [summary] = listVersions(db, 1, version.id);
      return (
        <VersionPage
          shell={shell}
          version={version}
          before={summary === undefined ? undefined : findVersion(db, summary.id)}
          after={findVersion(db, version.id + 1)}
          inEffect={constants.current().version}
        />
      );
    }),
  ]);
}

/** Showing what a text would change asks for nothing; putting it in effect does. */
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

/** The file is no longer the one that was edited: the text is kept, and what changed meanwhile is shown where it is known. */
function conflict({ db, constants }: ConstantsRoutesDeps, text: string, digest: string): Draft {
  const ground = groundOf(constants);
  const summary = listVersions(db, MOST_SOUGHT).find((version) => version.digest === digest);
  const edited = summary === undefined ? undefined : findVersion(db, summary.id);
  const meanwhile = edited === undefined ? undefined : lineDifference(edited.document, ground.document.text);
  return judgeDraft(text, ground, { because: "conflict", meanwhile });
}

function editor(
  { db, constants }: ConstantsRoutesDeps,
  { shell }: { readonly shell: Shell },
  draft: Draft,
  restored?: number,
) {
  const versions = listVersions(db, FEW_VERSIONS + 1);
  return (
    <EditorPage
      shell={shell}
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
