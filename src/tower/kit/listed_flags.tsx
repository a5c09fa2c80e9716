/** A flag as a list with its proof shows it. */

import { countWords as countOf } from "../../base/text.ts";
import type { RuleInputs } from "../../flags/flags.ts";
import type { ChanceMark } from "../../rules/stands_out.ts";
import { paths } from "../paths.ts";
import { Glyph } from "./glyph.tsx";
import { here } from "./here.ts";
import { type Severity, Told, Unseen } from "./links.tsx";
import { proofOf, SECOND_ONLY, toolsUpdatedWords, When } from "./proof.tsx";
import { Facts, Marked } from "./term.tsx";

export interface ListedFlag {
  readonly id: string;
  /** Null for a flag that a site sent itself. */
  readonly rule: string | null;
  readonly severity: Severity;
  readonly kind: string;
  readonly message: string;
  readonly raisedAt: number;
  readonly resolvedAt: number | null;
  /** The first flag of the lasting thing it tells: what is opened of it stays open when a report tells it anew. */
  readonly thing?: string;
  /** When the condition began, and over how many reports it held, where it was raised anew by each of them. */
  readonly heldSince?: number;
  readonly heldReports?: number;
  /** What those are, where they are no reports. */
  readonly heldBy?: "reading";
  readonly ruleInputs: RuleInputs;
  /** How it is marked among the tests of its day, where that is asked for. */
  readonly chance?: ChanceMark | undefined;
}

/** What a flag says, leading to its proof; its severity in words for whoever does not see the glyph. */
export function FlagTitle({ flag }: { readonly flag: Pick<ListedFlag, "id" | "severity" | "message"> }) {
  return (
    <p class="said">
      <Unseen>{flag.severity}: </Unseen>
      <a href={paths.flag(flag.id)}>
        <Told>{flag.message}</Told>
      </a>
    </p>
  );
}

function Item({ flag }: { readonly flag: ListedFlag }) {
  const { now } = here();
  const { facts, second } = proofOf(flag.rule, flag.ruleInputs, now);
  const updated = toolsUpdatedWords(flag.ruleInputs);
  return (
    <li
      id={`listed-${flag.thing ?? flag.id}`}
      data-sev={flag.severity}
      class={flag.resolvedAt === null ? undefined : "past"}
    >
      <Glyph name={`f-${flag.severity}`} />
      <div>
        <FlagTitle flag={flag} />
        <p class="note">
          {flag.severity}, {flag.kind} · raised <When at={flag.raisedAt} />
          {flag.heldReports === undefined || flag.heldReports === 1 ? null : (
            <>
              , first raised <When at={flag.heldSince ?? flag.raisedAt} />,{" "}
              {countOf(flag.heldReports, flag.heldBy ?? "report")}
            </>
          )}
          {flag.resolvedAt === null ? null : (
            <>
              {" "}
              · resolved <When at={flag.resolvedAt} />
            </>
          )}
          {updated === null ? null : ` · ${updated}`}
        </p>
        <details>
          <summary class="note">The rule and its numbers</summary>
          <div hx-ignore>
            <Facts facts={facts} marked />
            {second.length === 0 ? null : (
              <>
                <p class="note">
                  <Marked>{`Second condition: ${SECOND_ONLY}`}</Marked>
                </p>
                <Facts facts={second} marked />
              </>
            )}
          </div>
        </details>
      </div>
    </li>
  );
}

/** Flags with the numbers behind each. */
export function ListedFlags({ flags }: { readonly flags: readonly ListedFlag[] }) {
  return (
    <ul class="list raised">
      {flags.map((flag) => (
        <Item flag={flag} />
      ))}
    </ul>
  );
}
