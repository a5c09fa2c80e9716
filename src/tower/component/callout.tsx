import type { HealthState } from "../../health/contract.ts";
import type { Child } from "../jsx/jsx-runtime.ts";

/** A passage that must not be missed. `alert` interrupts a screen reader, `status` waits for a pause. */
export function Callout(props: {
  readonly tone?: HealthState | undefined;
  readonly role?: "alert" | "status" | undefined;
  readonly id?: string | undefined;
  readonly children: Child;
}) {
  return (
    <div class="callout" data-state={props.tone} role={props.role} id={props.id}>
      {props.children}
    </div>
  );
}
