/** Why nothing was measured: the checkout itself, or a `--path` that is not in it; with what to do about it. */
export interface NotMeasurable {
  readonly ok: false;
  readonly fault: "checkout" | "path";
  readonly reason: string;
  readonly hint?: string;
}

/** Thrown inside the run to end it; `measureCheckout` turns it into its value. */
export class NotMeasurableError extends Error {
  readonly hint: string | undefined;
  readonly fault: NotMeasurable["fault"];

  constructor(reason: string, hint?: string, fault: NotMeasurable["fault"] = "checkout") {
    super(reason);
    this.name = "NotMeasurableError";
    this.hint = hint;
    this.fault = fault;
  }
}

/** The refusal of a checkout whose blobs were never fetched. */
export function partialClone(): NotMeasurableError {
  return new NotMeasurableError(
    "Objects of the commit are missing: the checkout is a partial clone.",
    "Fetch the full repository (git clone without --filter).",
  );
}
