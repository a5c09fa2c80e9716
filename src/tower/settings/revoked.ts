/** Back to the list, which says that the token is revoked. Throws a `Problem` where it was not in force. */

import { Problem } from "../../base/problem.ts";
import { withNotice } from "../keyboard.tsx";
import { seeOther } from "../session.ts";

export function revoked(isRevoked: boolean, back: string): Response {
  if (isRevoked) return seeOther(withNotice(back, "token-revoked"));
  throw new Problem("not-found", "No such token is in force; it may have been revoked before.");
}
