/** What an operator does to an integration, as a form for wherever it stands: pause, resume, disconnect, forget; and what can be done, in words. */

import { listApiTokens } from "../../access/api_tokens.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { senderScope } from "../../health/health.ts";
import { listInForce, type Pause, type PauseKey } from "../../health/pauses.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/integrations.ts";
import { listChannels } from "../../notices/channels.ts";
import { isProvider, PROVIDER_NAMES, type Provider } from "../../providers/adapter.ts";
import { type Attachment, type Credential, listCredentials } from "../../providers/credentials.ts";
import type { ActionCode } from "../../providers/faults.ts";
import { findProperty, listAttachmentsOf } from "../../providers/properties.ts";
import { panelTarget } from "../../signals/panel_runs.ts";
import { listPanels, type Panel } from "../../signals/panels.ts";
import { listCalendars } from "../../sites/calendars.ts";
import type { Db } from "../../store/store.ts";
import { Act, Form, SureAct, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { ShortName, Told, Unseen } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { actorWords } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { attachHref } from "../settings/attach_rows.ts";

function pausedWords({ capability, asset }: PauseKey): string {
  if (capability === "") return `all of ${asset}`;
  return `${labelOf(capability)}, for ${asset === "" ? "every site" : asset}`;
}

/** What a capability is called. */
export function labelOf(capability: string): string {
  return capabilityOf(capability)?.label ?? capability;
}

/**
 * Pauses a capability of one site, or all of one site (capability ''), until a day, or until it is resumed; what that means is said
 * before it is done. As after all of these acts the page that it stands on is shown again.
 */
function PauseForm({ capability, asset, words = "Pause" }: PauseKey & { readonly words?: string }) {
  const { shell } = here();
  return (
    <details class="sure">
      <summary class="btn bare">
        {words}
        <Unseen> {pausedWords({ capability, asset })}</Unseen>
      </summary>
      <Form
        action={paths.pauses}
        class="stack tight"
        hidden={{ capability, asset, to: shell.here }}
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
export function ResumeForm(props: PauseKey & { readonly back?: string }) {
  const { capability, asset, back = here().shell.here } = props;
  return (
    <Act
      action={paths.resumption}
      words="Resume"
      on={pausedWords({ capability, asset })}
      hidden={{ capability, asset, to: back }}
    />
  );
}

/** Has it forgotten that a site was connected: its health tells no more of it. */
export function ForgetForm({ provider, asset }: { readonly provider: Provider; readonly asset: string }) {
  return (
    <Act
      action={paths.forgetting}
      words="Forget"
      on={`that ${PROVIDER_NAMES[provider]} of ${asset} was connected`}
      hidden={{ provider, asset, to: here().shell.here }}
    />
  );
}

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
}

/** Pause or resume, disconnect or forget. The connection of archived reports is that of the daily figures, where it is taken away. */
export function SiteActs({ of, target, pauses, isAttached }: SiteActsProps) {
  const { asset } = target;
  const { capability, provider } = of;
  const own = pauses.filter((pause) => pause.capability === capability);
  const isHeld = pauses.some((pause) => pause.capability === "") || target.state === "disconnected";
  return (
    <div class="row">
      {own.map((pause) => (
        <>
          {pause.asset === "" ? <small>paused on every site</small> : null}
          <ResumeForm capability={capability} asset={pause.asset} />
        </>
      ))}
      {isHeld || own.length > 0 || capabilityOf(capability)?.pausable !== true ? null : (
        <PauseForm capability={capability} asset={asset} />
      )}
      {of.kind === "production_read" &&
      capabilityOf(capability)?.ofReports === false &&
      isProvider(provider) ? (
        target.state === "disconnected" ? (
          <ForgetForm provider={provider} asset={asset} />
        ) : isAttached ? (
          <SureAct
            action={paths.disconnection}
            words="Disconnect"
            on={`${PROVIDER_NAMES[provider]} of ${asset}`}
            consequence="Nothing more is pulled from this property for the site. What was pulled stays, and it can be attached again."
            sure="Disconnect it"
            hidden={{ provider, asset, to: here().shell.here }}
          />
        ) : null
      ) : null}
    </div>
  );
}

/** Pauses all of a site; while it is paused, since when and by whom, and resuming it. */
export function WholeSiteActs({
  asset,
  pauses,
}: {
  readonly asset: string;
  readonly pauses: readonly Pause[];
}) {
  const pause = pauses.find(({ capability }) => capability === "");
  if (pause === undefined) return <PauseForm capability="" asset={asset} words="Pause all of this site" />;
  return (
    <>
      <small>
        All of this site is paused since <Moment at={pause.pausedAt} /> by{" "}
        <Told class="wrap">{actorWords(pause.pausedBy)}</Told>,{" "}
        {pause.until === null ? "until it is resumed" : ["until ", <Moment at={pause.until} />]}
      </small>
      <ResumeForm capability="" asset={asset} />
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

// What can be done about an integration: in words, and where.

/** What a target is asked over: an account, a calendar or a channel. */
type NamedConnection = Pick<Credential, "label"> & ActPlace;

/** A page, and what it is called. */
interface ActPlace {
  readonly href: string;
  readonly words: string;
}

/** The account, calendar or channel that a target is asked over; undefined where it has none, or another by now. */
export type AccountOf = (target: Pick<TargetView, "connectionRevision">) => NamedConnection | undefined;

/** Each of them by its connection revision; read when the first is asked for. */
export function accountsOf(db: Db): AccountOf {
  let known: ReadonlyMap<string, NamedConnection> | undefined;
  return ({ connectionRevision }) => {
    known ??= new Map<string, NamedConnection>([
      ...listCredentials(db).map(
        ({ id, label, connectionRevision: revision }) =>
          [revision, { label, href: paths.credential(id), words: "Account" }] as const,
      ),
      ...listCalendars(db).map(
        ({ name, connection_revision }) =>
          [connection_revision, { label: name, href: paths.calendars, words: "Calendars" }] as const,
      ),
      ...listChannels(db).map(
        ({ id, name, connection_revision }) =>
          [connection_revision, { label: name, href: paths.channel(id), words: "Channel" }] as const,
      ),
    ]);
    return known.get(connectionRevision);
  };
}

/** A property of a site: the provider's own id of it, and what its account calls it where that is known. */
export interface NamedProperty extends Attachment {
  readonly name: string | undefined;
}

/** The properties that are attached to a site, by provider; undefined where they cannot be read, which the coverage of the view says. */
export function propertiesOf(db: Db, asset: string): ReadonlyMap<string, NamedProperty> | undefined {
  try {
    const named = listAttachmentsOf(db, asset).map((one) => ({ ...one, name: findProperty(db, one)?.name }));
    return new Map(named.map((one) => [one.provider, one]));
  } catch {
    return undefined;
  }
}

export type PanelOf = (target: Pick<TargetView, "target">) => Panel | undefined;

/** The search panels of a site by what their health is told of; none where they cannot be read, which the coverage of the view says. */
export function panelsOf(db: Db, asset: string): PanelOf {
  try {
    const known = new Map(listPanels(db, asset).map((panel) => [panelTarget(panel), panel]));
    return ({ target }) => known.get(target);
  } catch {
    return () => undefined;
  }
}

export type SenderOf = ReturnType<typeof sendersOf>;

/** Each token that annotations are posted with, by what its health is told of. */
export function sendersOf(db: Db, { workspace, capabilities }: HealthView) {
  const isAsked = capabilities.some(({ provider }) => provider === "annotations");
  const tokens = isAsked ? listApiTokens(db) : [];
  const known = new Map(tokens.map((token) => [senderScope(workspace, token.id).target, token]));
  return ({ target }: Pick<TargetView, "target">) => known.get(target);
}

interface ActProps {
  readonly target: TargetView;
  readonly of: CapabilityView;
  readonly accountOf: AccountOf;
}

/** Who must act, in one sentence, with a link to where it is done. */
export function ActionOf(props: ActProps) {
  const { target } = props;
  // That nothing is to be done goes without saying where all is well.
  if (target.state === "working") return null;
  const place = placeOf(props);
  return (
    <>
      {target.action.text}
      {place === undefined ? null : (
        <>
          {" "}
          <a class="nowrap" href={place.href}>
            {place.words}
          </a>
        </>
      )}
    </>
  );
}

/** Where it is done; undefined where it has no place of its own. */
export const placeOf = (props: ActProps): ActPlace | undefined => PLACES[props.target.action.code]?.(props);

type Placing = (props: ActProps) => ActPlace | undefined;

/** At the account, calendar or channel that it is asked over, as long as there is one. */
const account: Placing = ({ target, accountOf }) => accountOf(target);

/** Where a site's property of a provider is chosen; where reports come from for what is sent. */
const setup: Placing = (props) => {
  const { asset } = props.target;
  const { provider } = props.of;
  if (asset === "" || provider === "calendars")
    return account(props) ?? { href: paths.credentials, words: "Credentials" };
  return isProvider(provider) ? { href: attachHref({ q: asset }), words: "Properties" } : sending(props);
};

const sending: Placing = ({ target: { asset }, of }) => {
  if (asset === "") return { href: paths.tokens, words: "Tokens" };
  return of.capability === "ingest.codebase"
    ? { href: paths.codebase(asset), words: "Codebase" }
    : { href: paths.siteSending(asset), words: "How it sends" };
};

const health: Placing = () => ({ href: paths.health, words: "System health" });

/** Where each action is taken; one that is not here has no place of its own. */
const PLACES: Partial<Readonly<Record<ActionCode, Placing>>> = {
  give_access: account,
  replace_credential: account,
  check_account: account,
  enable_api: account,
  test_account: account,
  list_sites: account,
  check_setup: setup,
  connect: (props) => {
    const place = setup(props);
    return place && { ...place, words: "Connect again" };
  },
  check_storage: health,
  check_clock: health,
  check_job: health,
  check_sender: sending,
  set_up_sending: sending,
  check_token: ({ target: { asset } }) => ({
    href: asset === "" ? paths.tokens : paths.siteTokens(asset),
    words: "Tokens",
  }),
  correct_report: ({ target: { asset } }) =>
    asset === "" ? undefined : { href: paths.reports(asset), words: "What was refused" },
  open_page: ({ target: { asset } }) => ({ href: paths.site(asset), words: "Open it" }),
};

export function AccountLink({
  account,
  otherwise,
}: {
  account: NamedConnection | undefined;
  otherwise: string;
}) {
  if (account === undefined) return <>{otherwise}</>;
  return (
    <a href={account.href}>
      <Told class="wrap">{account.label}</Told>
    </a>
  );
}
