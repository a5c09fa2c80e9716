/** What an operator does to an integration, as a form for wherever it stands: pause, resume, disconnect, forget. */
import type { Provider } from "../../provider/contract.ts";
import { TextField } from "../component/field.tsx";
import { Act, Form, SureAct } from "../component/form.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Unseen } from "../component/text.tsx";
import { paths } from "../paths.ts";
import { pausedWords } from "./paused_words.ts";

/** What is paused: a capability of one site, of every site (asset ''), or all of one site (capability ''). */
interface OnPause {
  readonly capability: string;
  readonly asset: string;
  /** The address of the page that it stands on, which is shown again. */
  readonly back: string;
}

/** Pauses until a day, or until it is resumed; what that means is said before it is done. */
export function PauseForm({
  capability,
  asset,
  back,
  words = "Pause",
}: OnPause & { readonly words?: string }) {
  return (
    <details class="sure">
      <summary class="btn bare">
        {words}
        <Unseen> {pausedWords({ capability, asset })}</Unseen>
      </summary>
      <Form
        action={paths.pauses}
        class="stack tight"
        hidden={[
          ["capability", capability],
          ["asset", asset],
          ["to", back],
        ]}
      >
        <p class="note">
          {capability === ""
            ? "Nothing is asked for it, and its silence raises no flag. Reports that it sends are judged as ever."
            : "Nothing of it is asked. What is stored stays."}
        </p>
        <TextField
          name="until"
          id={`until-${capability}-${asset}`}
          label="Until (UTC), else until resumed"
          type="date"
          autocomplete="off"
        />
        <div>
          <button class="btn">Pause it</button>
        </div>
      </Form>
    </details>
  );
}

/** Ends a pause: the one of exactly this capability and site. */
export function ResumeForm({ capability, asset, back }: OnPause) {
  return (
    <Act
      action={paths.resumption}
      words="Resume"
      on={pausedWords({ capability, asset })}
      hidden={[
        ["capability", capability],
        ["asset", asset],
        ["to", back],
      ]}
    />
  );
}

/** A site's connection to a provider. */
interface OnConnection {
  readonly provider: Provider;
  readonly asset: string;
  /** The address of the page that it stands on, which is shown again. */
  readonly back: string;
}

/** Takes a site's connection away, once it was said what that means. */
export function DisconnectForm({ provider, asset, back }: OnConnection) {
  return (
    <SureAct
      action={paths.disconnection}
      words="Disconnect"
      on={`${PROVIDER_WORDS[provider]} of ${asset}`}
      consequence="Nothing more is pulled from this property for the site. What was pulled stays, and it can be attached again."
      sure="Disconnect it"
      hidden={connectionOf({ provider, asset, back })}
    />
  );
}

/** Has it forgotten that a site was connected: its health tells no more of it. */
export function ForgetForm({ provider, asset, back }: OnConnection) {
  return (
    <Act
      action={paths.forgetting}
      words="Forget"
      on={`that ${PROVIDER_WORDS[provider]} of ${asset} was connected`}
      hidden={connectionOf({ provider, asset, back })}
    />
  );
}

const connectionOf = ({ provider, asset, back }: OnConnection) =>
  [
    ["provider", provider],
    ["asset", asset],
    ["to", back],
  ] as const;
