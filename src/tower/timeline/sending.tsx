import { EVERY_SITE } from "../../annotations/mod.ts";
import { Copy } from "../component/copy.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { annotationCommand, annotationStep } from "./commands.ts";

/** How CI posts the same: a line of curl and a step of a workflow, with this installation's address and the site filled in. */
export function SendingFromCi({ destination }: { readonly destination: Destination }) {
  return (
    <div class="ways">
      <p>
        The token is an operator's, with the scope <code>annotations</code>; <a href={paths.tokens}>Tokens</a>{" "}
        issues one. Keep it in the variable <code>TOWER_TOKEN</code>, in CI as a secret of that name. A post
        that is sent twice is stored once.
        {destination.asset === EVERY_SITE ? (
          <>
            {" "}
            The asset <code>*</code> stands for every site; put a site's identifier there for one.
          </>
        ) : null}
      </p>
      <h3>From a shell</h3>
      <Copy id="ci-curl" label="curl command" text={annotationCommand(destination)} />
      <h3>From a GitHub workflow</h3>
      <Copy id="ci-step" label="workflow step" text={annotationStep(destination)} />
      {destination.loopback ? (
        <p class="note">
          <code>{destination.ingest}</code> answers on this computer only. For CI elsewhere publish an ingest
          address (<code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>); it then stands here.
        </p>
      ) : null}
    </div>
  );
}
