/** What can be done about an integration: in words, and where. */

import { listApiTokens } from "../../access/api_tokens.ts";
import { senderScope } from "../../health/health.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/integrations.ts";
import { listChannels } from "../../notices/channels.ts";
import { isProvider } from "../../providers/adapter.ts";
import { type Attachment, type Credential, listCredentials } from "../../providers/credentials.ts";
import type { ActionCode } from "../../providers/faults.ts";
import { findProperty, listAttachmentsOf } from "../../providers/properties.ts";
import { listCalendars } from "../../sites/calendars.ts";
import type { Db } from "../../store/store.ts";
import { Told } from "../kit/links.tsx";
import { paths } from "../paths.ts";
import { attachHref } from "../settings/attach_rows.ts";

/** What a target is asked over: an account, a calendar or a channel. */
interface NamedConnection extends Pick<Credential, "label"> {
  /** Where it is set up, and what that page is called. */
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

/** A token that annotations are posted with: whose it is, and since when (milliseconds since the epoch). */
export interface Sender {
  readonly operator: string;
  readonly createdAt: number;
}

export type SenderOf = (target: Pick<TargetView, "target">) => Sender | undefined;

/** Every sender by what its health is told of. */
export function sendersOf(db: Db, { workspace, capabilities }: HealthView): SenderOf {
  if (capabilities.every(({ provider }) => provider !== "annotations")) return () => undefined;
  const known = new Map(
    listApiTokens(db).map(({ id, operatorName, createdAt }) => [
      senderScope(workspace, id).target,
      { operator: operatorName, createdAt },
    ]),
  );
  return ({ target }) => known.get(target);
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

interface ActPlace {
  readonly href: string;
  readonly words: string;
}

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
