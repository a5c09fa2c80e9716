/** What an operator does to an integration, as a form for wherever it stands: pause, resume, disconnect, forget. */

import { capabilityOf } from "../../health/catalogue.ts";
import { listInForce, type Pause, type PauseKey } from "../../health/pauses.ts";
import type { CapabilityView, TargetView } from "../../integrations/integrations.ts";
import { isProvider, PROVIDER_NAMES as PROVIDER_WORDS, type Provider } from "../../providers/adapter.ts";
import type { Db } from "../../store/store.ts";
import { actorWords } from "../kit/actor_words.ts";
import { Act, Form, SureAct, TextField } from "../kit/field.tsx";
import { ShortName, Told, Unseen } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";

export function pausedWords({ capability, asset }: PauseKey): string {
  if (capability === "") return `all of ${asset}`;
  return `${labelOf(capability)}, for ${asset === "" ? "every site" : asset}`;
}

/** What a capability is called. */
export function labelOf(capability: string): string {
  return capabilityOf(capability)?.label ?? capability;
}

/** What is paused: a capability of one site, of every site (asset ''), or all of one site (capability ''). */
interface OnPause {
  readonly capability: string;
  readonly asset: string;
  /** The address of the page that it stands on, which is shown again. */
  readonly back: string;
}

/** Pauses until a day, or until it is resumed; what that means is said before it is done. */
function PauseForm({ capability, asset, back, words = "Pause" }: OnPause & { readonly words?: string }) {
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
        send="Pause it"
        isMinor
      >
        <p class="note">
          {capability === ""
            ? "Tower pulls nothing for it, and its silence raises no flag. Reports it sends are checked as usual."
            : "Nothing of it is asked. What is stored stays."}
        </p>
        <TextField
          name="until"
          id={`until-${capability}-${asset}`}
          label="Until (UTC), else until resumed"
          type="date"
          autocomplete="off"
        />
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

/** What is paused now of a site, or of every site. */
export function pausesOf(db: Db, asset: string, now: number): Pause[] {
  return listInForce(db, now).filter((pause) => pause.asset === "" || pause.asset === asset);
}

interface SiteActsProps {
  readonly of: CapabilityView;
  readonly target: TargetView;
  /** Those of the site and of every site. */
  readonly pauses: readonly Pause[];
  /** A property of the site is attached. */
  readonly isAttached: boolean;
  readonly back: string;
}

/** Pause or resume, disconnect or forget. The connection of archived reports is that of the daily figures, where it is taken away. */
export function SiteActs({ of, target, pauses, isAttached, back }: SiteActsProps) {
  const { asset } = target;
  const { capability, provider } = of;
  const own = pauses.filter((pause) => pause.capability === capability);
  const isHeld = pauses.some((pause) => pause.capability === "") || target.state === "disconnected";
  return (
    <div class="row">
      {own.map((pause) => (
        <>
          {pause.asset === "" ? <small>paused on every site</small> : null}
          <ResumeForm capability={capability} asset={pause.asset} back={back} />
        </>
      ))}
      {isHeld || own.length > 0 || capabilityOf(capability)?.pausable !== true ? null : (
        <PauseForm capability={capability} asset={asset} back={back} />
      )}
      {of.kind === "production_read" &&
      capabilityOf(capability)?.ofReports === false &&
      isProvider(provider) ? (
        target.state === "disconnected" ? (
          <ForgetForm provider={provider} asset={asset} back={back} />
        ) : isAttached ? (
          <SureAct
            action={paths.disconnection}
            words="Disconnect"
            on={`${PROVIDER_WORDS[provider]} of ${asset}`}
            consequence="Nothing more is pulled from this property for the site. What was pulled stays, and it can be attached again."
            sure="Disconnect it"
            hidden={connectionOf({ provider, asset, back })}
          />
        ) : null
      ) : null}
    </div>
  );
}

/** Pauses all of a site; while it is paused, since when and by whom, and resuming it. */
export function WholeSiteActs(props: {
  readonly asset: string;
  readonly pauses: readonly Pause[];
  readonly back: string;
}) {
  const { asset, pauses, back } = props;
  const pause = pauses.find(({ capability }) => capability === "");
  if (pause === undefined)
    return <PauseForm capability="" asset={asset} back={back} words="Pause all of this site" />;
  return (
    <>
      <small>
        All of this site is paused since <Moment at={pause.pausedAt} /> by{" "}
        <Told class="wrap">{actorWords(pause.pausedBy)}</Told>,{" "}
        {pause.until === null ? "until it is resumed" : ["until ", <Moment at={pause.until} />]}
      </small>
      <ResumeForm capability="" asset={asset} back={back} />
    </>
  );
}

const LONGEST = 40;

/** Where a capability stands on the tab of its site. */
export const capabilityId = (capability: string): string => `capability-${capability.replaceAll(".", "-")}`;

/** To the integrations of a site, at one of them where it is named. */
export function SiteLink(props: {
  readonly asset: string;
  readonly capability?: string;
  /** It is what its row is about: keys go from one of these to the next. */
  readonly leads?: boolean;
}) {
  const { asset, capability, leads = false } = props;
  const place = capability === undefined ? "" : `#${capabilityId(capability)}`;
  return (
    <a class="wrap" data-row={leads} href={`${paths.siteIntegrations(asset)}${place}`}>
      <ShortName name={asset} longest={LONGEST} />
    </a>
  );
}
