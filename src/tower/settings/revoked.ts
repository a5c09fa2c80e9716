import { Problem } from "../../platform/problem.ts";

/** Refuses to say that a token was revoked which was not in force. Throws a `Problem`. */
export function assertRevoked(isRevoked: boolean): void {
  if (!isRevoked) {
    throw new Problem("not-found", "No such token is in force; it may have been revoked before.");
  }
}
