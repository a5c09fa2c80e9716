/** What can be done about an integration: in words, and where. */
import type { CapabilityView, TargetView } from "../../integrations/contract.ts";
import { isProvider } from "../../provider/contract.ts";
import { attachHref } from "../credentials/address.ts";
import { paths } from "../paths.ts";
import type { AccountOf } from "./names.ts";

/** What a page knows beside the one view, to say what can be done. */
export interface ActGround {
  readonly now: number;
  readonly accountOf: AccountOf;
  /** What the token of a sender is called. */
  readonly senderOf: (target: TargetView) => string | undefined;
}

interface ActProps {
  readonly target: TargetView;
  readonly of: CapabilityView;
  readonly ground: ActGround;
}

/** Who must act, in one sentence, with a link to where it is done. */
export function ActionOf({ target, of, ground }: ActProps) {
  const { text } = target.action;
  const place = text === "" ? undefined : placeOf(target, of, ground);
  return (
    <>
      {text}
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

interface ActPlace {
  readonly href: string;
  readonly words: string;
}

/** Where it is done: at the account, at the property, at how the site sends. */
function placeOf(
  { asset }: TargetView,
  { provider }: CapabilityView,
  _ground: ActGround,
): ActPlace | undefined {
  if (provider === "ingest") return { href: paths.siteSending(asset), words: "How it sends" };
  return isProvider(provider) ? { href: attachHref({ provider, q: asset }), words: "Properties" } : undefined;
}
