import type { InstallationKeys } from "../platform/keys.ts";
import type { Seal } from "./seal.ts";

/** Where a backup comes from, as far as its seal proves it. */
export type Origin =
  | { readonly kind: "proven" }
  /** It may be ours or anybody's. */
  | { readonly kind: "unproven"; readonly reason: string }
  /** It claims to be of the key at hand, and is not. */
  | { readonly kind: "forged"; readonly reason: string };

/** Judges the code of a seal whose digest holds. */
export function originOf(seal: Seal, keys: InstallationKeys | undefined): Origin {
  if (seal.key === undefined || seal.mac === undefined) {
    return { kind: "unproven", reason: "it was made without a key" };
  }
  if (keys === undefined) {
    return { kind: "unproven", reason: `the key it was made with (${seal.key}) is not here` };
  }
  if (keys.id !== seal.key) {
    return {
      kind: "unproven",
      reason: `it was made with another key (${seal.key}) than the one here (${keys.id})`,
    };
  }
  return keys.forPurpose("backup").holds(seal.sha256, seal.mac)
    ? { kind: "proven" }
    : { kind: "forged", reason: "its seal names the key that is here, but was not made with it" };
}
