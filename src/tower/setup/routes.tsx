import { hasOperator, setUp, setupLinkFault } from "../../operators/mod.ts";
import { KEEP_FIELD } from "../component/password_field.tsx";
import { door } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { type DoorDeps, letIn } from "../sign_in/let_in.ts";
import { SetupForm, SetupPage } from "./page.tsx";

/** `/setup`: there only while nobody can sign in. */
export function setupRoutes(deps: DoorDeps) {
  const { sessions, store } = deps;
  return mounted(deps, [
    door.get(paths.setup, {}, (visit) => {
      if (hasOperator(store.db)) return seeOther(paths.signIn);
      const code = visit.search.get("code");
      if (code === null) return <SetupPage shell={visit.shell} refusal={null} />;
      const fault = setupLinkFault(deps, code);
      if (fault !== undefined) {
        return visit.page(<SetupPage shell={visit.shell} refusal={fault} />, { status: 403 });
      }
      // The form holds the link's secret, so no browser may keep the page.
      const filled = { values: { name: "" }, errors: {} };
      return visit.page(<SetupForm shell={visit.shell} code={code} keep={false} filled={filled} />, {
        noStore: true,
      });
    }),
    door.post(paths.setup, {}, async (visit) => {
      if (hasOperator(store.db)) return seeOther(paths.signIn);
      const { request, form } = visit;
      const [code, name, password] = [
        form.get("code") ?? "",
        form.get("name") ?? "",
        form.get("password") ?? "",
      ];
      const keep = form.has(KEEP_FIELD);
      const caller = sessions.caller(request);
      const result = await setUp(deps, { token: code, name, password, caller, keep });
      if (result.ok) return letIn(deps, request, result, paths.portfolio);
      if (result.field === "link") {
        return visit.page(<SetupPage shell={visit.shell} refusal={result.reason} />, { status: 403 });
      }
      const filled = { values: { name }, errors: { [result.field]: result.reason } };
      return visit.page(<SetupForm shell={visit.shell} code={code} keep={keep} filled={filled} />, {
        status: 422,
      });
    }),
  ]);
}
