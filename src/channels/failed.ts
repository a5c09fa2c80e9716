/** What of an answer, or of none, is told of a notice that was not delivered: a code of ours, never what the other side wrote. */
import type { HttpFailureKind } from "../platform/http.ts";
import { faultOf } from "../provider/fault.ts";
import type { FaultCode } from "../provider/fault_codes.ts";
import type { Sent } from "./contract.ts";

/** Refusals of this very notice. All else may pass within the 24 hours in which it is tried: a receiver's release answers 404 for a minute. */
const REFUSED: ReadonlySet<FaultCode> = new Set([
  "receiver_refused",
  "recipient_refused",
  "credential_removed",
]);

/** Not delivered. */
export function failed(code: FaultCode): Sent {
  const { category } = faultOf(code);
  return { ok: false, category, code, permanent: REFUSED.has(code) };
}

/** No answer came, or no connection; where nothing else is said the connection was lost. */
const UNANSWERED: Readonly<Partial<Record<HttpFailureKind, FaultCode>>> = {
  address: "receiver_private",
  dns: "receiver_unknown",
  refused: "receiver_unreachable",
  connection: "receiver_unreachable",
  tls: "receiver_insecure",
  timeout: "receiver_silent",
  aborted: "stopped",
  redirect: "receiver_moved",
};
export const unanswered = (failure: HttpFailureKind): Sent =>
  failed(UNANSWERED[failure] ?? "receiver_cut_off");

/** What a status says: any 2xx is a delivery, whatever stands in its body. */
export function sentBy(status: number): Sent {
  if (status >= 200 && status < 300) return { ok: true, receipt: String(status) };
  if (status < 400) return failed("receiver_moved");
  const known = STATUSES[status];
  if (known !== undefined) return failed(known);
  return failed(status < 500 ? "receiver_refused" : "receiver_failed");
}

const STATUSES: Readonly<Record<number, FaultCode>> = {
  401: "receiver_denied",
  403: "receiver_denied",
  404: "receiver_gone",
  407: "receiver_denied",
  408: "receiver_failed",
  410: "receiver_gone",
  425: "receiver_failed",
  429: "receiver_busy",
};
