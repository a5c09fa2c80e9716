/** What can be done about an integration: in words, and where. */
import type { ActionCode } from "../../health/mod.ts";
import type { CapabilityView, TargetView } from "../../integrations/mod.ts";
import { isProvider } from "../../provider/contract.ts";
import { attachHref } from "../credentials/address.ts";
import { paths } from "../paths.ts";
import type { AccountOf, SenderOf } from "./names.ts";

/** What a page knows beside the one view, to say what can be done. */
export interface ActGround {
  readonly now: number;
  readonly accountOf: AccountOf;
  readonly senderOf: SenderOf;
}

interface ActProps {
  readonly target: TargetView;
  readonly of: CapabilityView;
  readonly ground: ActGround;
}

/** Who must act, in one sentence, with a link to where it is done. */
export function ActionOf({ target, of, ground }: ActProps) {
  return <SharedAction targets={[target]} of={of} ground={ground} />;
}

/** The same of targets that have one cause: the link only where it is done in one place for all of them. */
export function SharedAction(props: {
  readonly targets: readonly [TargetView, ...TargetView[]];
  readonly of: CapabilityView;
  readonly ground: ActGround;
}) {
  const { targets, of, ground } = props;
  const [first, ...others] = targets;
  const { code, text } = first.action;
  // That nothing is to be done goes without saying where all is well.
  if (first.state === "working") return null;
  const placing = PLACES[code];
  const place = placing?.({ target: first, of, ground });
  const isShared = others.every((target) => placing?.({ target, of, ground })?.href === place?.href);
  return (
    <>
      {text}
      {place === undefined || !isShared ? null : (
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

interface ActPlace {
  readonly href: string;
  readonly words: string;
}

type Placing = (props: ActProps) => ActPlace | undefined;

/** At the account or calendar that it is asked over, as long as there is one. */
const account: Placing = ({ target, ground }) => ground.accountOf(target);

/** Where a site's property of a provider is chosen; where reports come from for what is sent. */
const setup: Placing = (props) => {
  const { asset } = props.target;
  const { provider } = props.of;
  if (asset === "" || provider === "calendars")
    return account(props) ?? { href: paths.credentials, words: "Credentials" };
  return isProvider(provider)
    ? { href: attachHref({ provider, q: asset }), words: "Properties" }
    : sending(props);
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
