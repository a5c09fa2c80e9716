/** Every command that works on the data. */
import { assetAdd } from "./asset_add.ts";
import { check } from "./check.ts";
import type { Command } from "./contract.ts";
import { operatorAdd, operatorReset } from "./operator.ts";
import { tokenIssue } from "./token_issue.ts";

export const COMMANDS: readonly Command[] = [operatorAdd, operatorReset, tokenIssue, assetAdd, check];
export type { Command, Invocation, Outcome } from "./contract.ts";
export { readNewPassword } from "./password.ts";
