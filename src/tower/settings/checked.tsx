/** What providers answered when it was last asked whether an account works, or what it may see. */

import { countWords as countOf } from "../../base/text.ts";
import { failureWords } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import type { SeenProperty } from "../../providers/credentials.ts";
import { FAULT_CODES, isFaultCode } from "../../providers/faults.ts";
import { trapsBehind } from "../../providers/traps.ts";
import type { ConnectionJob, LastCheck } from "../../signals/account_check.ts";
import { formatCount } from "../format.ts";
import { here } from "../kit/here.ts";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";

/** The last check of a provider, with what it listed last. */
export interface ShownCheck extends LastCheck {
  readonly listed: readonly SeenProperty[];
}

const JOB_WORDS: Readonly<Record<ConnectionJob, string>> = {
  "connection-test": "Connection test",
  "site-discovery": "Search for properties",
};

/** What came of asking its providers, each in a sentence with what to do. */
export function Checked({ checks }: { checks: readonly ShownCheck[] }) {
  const isWell = checks.every((check) => reasonOf(check) === undefined);
  return (
    <Callout tone={isWell ? "working" : "failing"}>
      {[...Map.groupBy(checks, ({ job }) => job)].map(([job, ofJob]) => (
        <>
          <p>
            <b>{JOB_WORDS[job]}</b>, <Moment at={Math.max(...ofJob.map(({ at }) => at))} />
          </p>
          <ul>
            {ofJob.map((check) => (
              <li>
                <CheckWords check={check} />
              </li>
            ))}
          </ul>
        </>
      ))}
      {isWell && checks.some(({ job }) => job === "connection-test") ? (
        <p class="note">
          It says that the account is let in. Whether a site's figures come is said by the site.
        </p>
      ) : null}
    </Callout>
  );
}

/** What is wrong with an answer. A list without anything that can be used is one, too: nothing comes of such an account. */
function reasonOf({ failure, listed }: ShownCheck): LastCheck["failure"] {
  if (failure !== undefined || listed.some(({ usable }) => usable)) return failure;
  return { category: FAULT_CODES.no_property.category, code: "no_property" };
}

function CheckWords({ check }: { check: ShownCheck }) {
  const { now } = here();
  const { job, provider, nextRetryAt, listed } = check;
  const reason = reasonOf(check);
  if (reason === undefined) {
    const usable = listed.filter((property) => property.usable).length;
    return (
      <>
        {PROVIDER_WORDS[provider]}: usable, {formatCount(usable)} of{" "}
        {countOf(listed.length, "property", "properties")} can be attached.
      </>
    );
  }
  const code = reason.code !== null && isFaultCode(reason.code) ? reason.code : undefined;
  const { why, action } = failureWords(reason, capabilityOf(`${provider}.${job}`)?.copy);
  return (
    <>
      {PROVIDER_WORDS[provider]}: {why} {action.text}
      {nextRetryAt === null || nextRetryAt <= now
        ? null
        : [" Tower asks by itself again from ", <Moment at={nextRetryAt} />, " UTC on."]}
      {code === undefined
        ? null
        : trapsBehind(code, provider).map((trap) => (
            <small class="block-sm">
              {trap.says} {trap.action}
            </small>
          ))}
    </>
  );
}
