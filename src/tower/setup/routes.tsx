import { Elysia } from "elysia";
import { hasOperator, isSetupToken, setUp } from "../../operators/mod.ts";
import { DOOR_BYTES, readForm } from "../form.ts";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import { type DoorDeps, letIn } from "../sign_in/routes.tsx";
import { SetupPage, type SetupProps } from "./page.tsx";

/** `/setup`: there only while nobody can sign in. */
export function setupRoutes(deps: DoorDeps) {
  return new Elysia({ name: "setup" })
    .get(paths.setup, ({ request }) => show(request, deps))
    .post(paths.setup, ({ request }) => claim(request, deps), { parse: "none" });
}

function show(request: Request, deps: DoorDeps): Response {
  if (hasOperator(deps.store.db)) return seeOther(paths.signIn);
  const code = new URL(request.url).searchParams.get("code");
  if (code === null) return page(request, deps, { code: null, name: "", errors: {} });
  if (isSetupToken(deps, code)) return page(request, deps, { code, name: "", errors: {} });
  return page(request, deps, { code: null, name: "", errors: { code: DEAD_LINK } }, 403);
}

async function claim(request: Request, deps: DoorDeps): Promise<Response> {
  deps.sessions.assertOwnOrigin(request);
  if (hasOperator(deps.store.db)) return seeOther(paths.signIn);
  const form = await readForm(request, DOOR_BYTES);
  const code = form.get("code") ?? "";
  const name = form.get("name") ?? "";
  const caller = deps.sessions.caller(request);
  const result = await setUp(deps, { token: code, name, password: form.get("password") ?? "", caller });
  if (result.ok) return letIn(deps, request, result, paths.portfolio);
  if (result.field === "link")
    return page(request, deps, { code: null, name: "", errors: { code: result.reason } }, 403);
  return page(request, deps, { code, name, errors: { [result.field]: result.reason } }, 422);
}

const DEAD_LINK = "This set-up link does not work: it was used, or it is older than 30 minutes.";

/** The form holds the link's secret, so no browser may keep the page. */
function page(request: Request, deps: DoorDeps, props: Omit<SetupProps, "shell">, status = 200): Response {
  return htmlPage(request, <SetupPage shell={deps.shellFor(request, null)} {...props} />, {
    status,
    noStore: props.code !== null,
  });
}
