import type { RuleInputs } from "../../flags/mod.ts";
import { countOf } from "../format.ts";
import { Facts } from "./facts.tsx";
import { Glyph } from "./glyph.tsx";
import { proofOf, SECOND_ONLY } from "./proof.tsx";
import type { Severity } from "./severity.tsx";
import { Told, Unseen } from "./text.tsx";
import { Moment } from "./time.tsx";

/** An alert as the pages list it. */
export interface ListedAlert {
  readonly id: string;
  /** Null for a flag that a site sent itself. */
  readonly rule: string | null;
  readonly severity: Severity;
  readonly kind: string;
  readonly message: string;
  readonly raisedAt: number;
  readonly resolvedAt: number | null;
  /** When the condition began, and over how many reports it held, where it was raised anew by each of them. */
  readonly heldSince?: number;
  readonly heldReports?: number;
  readonly ruleInputs: RuleInputs;
}

function Alert({ alert, now }: { readonly alert: ListedAlert; readonly now: number }) {
  const { facts, second } = proofOf(alert.rule, alert.ruleInputs, now);
  return (
    <li data-sev={alert.severity} class={alert.resolvedAt === null ? undefined : "past"}>
      <Glyph name={`f-${alert.severity}`} />
      <div>
        <p class="said">
          <Unseen>{alert.severity}: </Unseen>
          <Told>{alert.message}</Told>
        </p>
        <p class="note">
          {alert.severity}, {alert.kind} · raised <Moment at={alert.raisedAt} now={now} />
          {alert.heldReports === undefined || alert.heldReports === 1 ? null : (
            <>
              , first raised <Moment at={alert.heldSince ?? alert.raisedAt} now={now} />,{" "}
              {countOf(alert.heldReports, "report")}
            </>
          )}
          {alert.resolvedAt === null ? null : (
            <>
              {" "}
              · resolved <Moment at={alert.resolvedAt} now={now} />
            </>
          )}
        </p>
        <details>
          <summary class="note">The rule and its numbers</summary>
          <div hx-ignore>
            <Facts facts={facts} />
            {second.length === 0 ? null : (
              <>
                <p class="note">Second condition: {SECOND_ONLY}</p>
                <Facts facts={second} />
              </>
            )}
          </div>
        </details>
      </div>
    </li>
  );
}

/** Alerts with the numbers behind each. */
export function AlertList({
  alerts,
  now,
}: {
  readonly alerts: readonly ListedAlert[];
  readonly now: number;
}) {
  return (
    <ul class="list alerts">
      {alerts.map((alert) => (
        <Alert alert={alert} now={now} />
      ))}
    </ul>
  );
}
