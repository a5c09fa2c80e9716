/** Every command that works on the data. */
import { assetAdd } from "./asset_add.ts";
import { backup } from "./backup.ts";
import { check } from "./check.ts";
import type { Command } from "./contract.ts";
import { jobRun } from "./job_run.ts";
import { operatorAdd, operatorReset } from "./operator.ts";
import { rebuild } from "./rebuild.ts";
import { rulesRun } from "./rules_run.ts";
import { tokenIssue } from "./token_issue.ts";

export const COMMANDS: readonly Command[] = [
  operatorAdd,
  operatorReset,
  tokenIssue,
  assetAdd,
  jobRun,
  rulesRun,
  check,
  rebuild,
  backup,
];
export { actionWrite } from "./action_write.ts";
export { readNewPassword } from "./password.ts";
export { restore } from "./restore.ts";
