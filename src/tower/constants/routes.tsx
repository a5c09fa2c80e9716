import { Elysia } from "elysia";
import {
  type ConstantsKeeper,
  type ConstantsVersionSummary,
  findVersion,
  lineDifference,
  listVersions,
  MAX_DOCUMENT_BYTES,
} from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import { type ConfirmDeps, confirmedForm } from "../confirm/confirmed_form.tsx";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import { type Draft, type Ground, judgeDraft, shownDigest, untouched } from "./draft.ts";
import { EditorPage } from "./editor_page.tsx";
import { lookAtFile } from "./look.ts";
import { saveConstants } from "./save.ts";
import { VersionPage, VersionsPage } from "./versions.tsx";

/** What the pages of the constants document need. */
export interface ConstantsRoutesDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsKeeper;
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
  return new Elysia({ name: "constants" })
    .get(paths.constants, ({ request }) => edit(request, deps))
    .post(paths.constants, ({ request }) => submit(request, deps), { parse: "none" })
    .get(paths.constantsVersions, ({ request }) => list(request, deps))
    .get(`${paths.constantsVersions}/:version`, ({ request, params: { version } }) =>
      show(request, deps, version),
    );
}

async function edit(request: Request, deps: ConstantsRoutesDeps): Promise<Response> {
  const actor = deps.access.page(request);
  await lookAtFile(deps.constants);
  const ground = groundOf(deps.constants);
  const from = versionOf(new URL(request.url).searchParams.get("from"));
  if (from === undefined) return page(request, deps, actor, untouched(ground));
  const version = findVersion(deps.db, from);
  if (version === undefined) throw new Problem("not-found", "No such version of the constants document.");
  const draft = judgeDraft(version.document, ground, { because: "restored" });
  return page(request, deps, actor, draft, { restored: from });
}

async function submit(request: Request, deps: ConstantsRoutesDeps): Promise<Response> {
  const { actor, form } = await confirmedForm(request, deps, {
    isAct: isSaving,
    maxBytes: DOCUMENT_FORM_BYTES,
  });
  const text = form.get("text") ?? "";
  const digest = form.get("digest") ?? "";
  await lookAtFile(deps.constants);
  const ground = groundOf(deps.constants);
  if (digest !== ground.document.digest) return conflict(request, deps, actor, { text, digest });
  const draft = judgeDraft(text, ground);
  if (draft.standing.state === "invalid") return page(request, deps, actor, draft, { status: 422 });
  if (!isSaving(form) || draft.standing.state !== "pending") return page(request, deps, actor, draft);
  if (form.get("shown") !== shownDigest(text)) {
    return page(request, deps, actor, { ...draft, note: { because: "edited-since" } });
  }
  const result = await saveConstants(deps, actor, { text: draft.text, digest });
  if (result.ok) return seeOther(`${paths.constants}?done=constants-saved`);
  if (result.reason === "conflict") return conflict(request, deps, actor, { text, digest });
  return page(request, deps, actor, judgeDraft(text, groundOf(deps.constants)), { status: 422 });
}

/** Showing what a text would change asks for nothing; putting it in effect does. */
function isSaving(form: URLSearchParams): boolean {
  return form.get("act") === "save";
}

/** The file is no longer the one that was edited: the text is kept, and what changed meanwhile is shown where it is known. */
function conflict(
  request: Request,
  deps: ConstantsRoutesDeps,
  actor: Actor,
  { text, digest }: { readonly text: string; readonly digest: string },
): Response {
  const ground = groundOf(deps.constants);
  const summary = listVersions(deps.db, MOST_SOUGHT).find((version) => version.digest === digest);
  const edited = summary === undefined ? undefined : findVersion(deps.db, summary.id);
  const meanwhile = edited === undefined ? undefined : lineDifference(edited.document, ground.document.text);
  return page(request, deps, actor, judgeDraft(text, ground, { because: "conflict", meanwhile }), {
    status: 409,
  });
}

function page(
  request: Request,
  deps: ConstantsRoutesDeps,
  actor: Actor,
  draft: Draft,
  options: { readonly status?: number; readonly restored?: number } = {},
): Response {
  const { constants } = deps;
  const versions = listVersions(deps.db, FEW_VERSIONS + 1);
  return htmlPage(
    request,
    <EditorPage
      shell={deps.shellFor(request, actor)}
      inEffect={constants.current()}
      problem={constants.problem}
      textOnDisk={constants.document().text}
      draft={draft}
      restored={options.restored ?? null}
      versions={versions.slice(0, FEW_VERSIONS)}
      hasMoreVersions={versions.length > FEW_VERSIONS}
    />,
    { status: options.status ?? 200, noStore: request.method === "POST" },
  );
}

function list(request: Request, deps: ConstantsRoutesDeps): Response {
  const actor = deps.access.page(request);
  const before = versionOf(new URL(request.url).searchParams.get("before"));
  const found = listVersions(deps.db, PAGE_OF_VERSIONS + 1, before);
  const versions: readonly ConstantsVersionSummary[] = found.slice(0, PAGE_OF_VERSIONS);
  return htmlPage(
    request,
    <VersionsPage
      shell={deps.shellFor(request, actor)}
      versions={versions}
      inEffect={deps.constants.current().version}
      next={found.length > PAGE_OF_VERSIONS ? (versions.at(-1)?.id ?? null) : null}
      isFirst={before === undefined}
    />,
  );
}

function show(request: Request, deps: ConstantsRoutesDeps, text: string): Response {
  const actor = deps.access.page(request);
  const id = versionOf(text);
  const version = id === undefined ? undefined : findVersion(deps.db, id);
  if (version === undefined) throw new Problem("not-found", "No such version of the constants document.");
  const summary = listVersions(deps.db, 1, version.id)[0];
  const before = summary === undefined ? undefined : findVersion(deps.db, summary.id);
  const after = findVersion(deps.db, version.id + 1);
  return htmlPage(
    request,
    <VersionPage
      shell={deps.shellFor(request, actor)}
      version={version}
      inEffect={deps.constants.current().version}
      change={
        before === undefined
          ? null
          : { before: before.id, hunks: lineDifference(before.document, version.document) }
      }
      after={after?.id ?? null}
    />,
  );
}

function groundOf(constants: ConstantsKeeper): Ground {
  return { document: constants.document(), textInEffect: constants.current().text };
}

function versionOf(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
