import { Problem } from "../../platform/problem.ts";
import { withNotice } from "../cookies.ts";
import { seeOther } from "../respond.ts";

/** Back to the list, which says that the token is revoked. Throws a `Problem` where it was not in force. */
export function revoked(isRevoked: boolean, back: string): Response {
  if (isRevoked) return seeOther(withNotice(back, "token-revoked"));
  throw new Problem("not-found", "No such token is in force; it may have been revoked before.");
}
