/** Every command that works on the data. */

import { annotationList } from "./annotation_list.ts";
import { annotationStrike, annotationUnstrike } from "./annotation_strike.ts";
import { archivePlan } from "./archive_plan.ts";
import { archiveVerify } from "./archive_verify.ts";
import { assetAdd } from "./asset_add.ts";
import { assetList } from "./asset_list.ts";
import { assetRemove } from "./asset_remove.ts";
import { backup } from "./backup.ts";
import { calendarAdd, calendarList, calendarRemove } from "./calendar.ts";
import { CHANNEL_COMMANDS } from "./channel.ts";
import { check } from "./check.ts";
import type { Command } from "./contract.ts";
import { credentialAdd } from "./credential_add.ts";
import { credentialList } from "./credential_list.ts";
import { credentialRemove } from "./credential_remove.ts";
import { credentialsKeyRotate } from "./credentials_key_rotate.ts";
import { jobRun } from "./job_run.ts";
import { ledgerImport } from "./ledger_import.ts";
import { operatorAdd, operatorReset } from "./operator.ts";
import { operatorList } from "./operator_list.ts";
import { operatorRemove } from "./operator_remove.ts";
import { panelAdd, panelList, panelRemove } from "./panel.ts";
import { propertyAttach } from "./property_attach.ts";
import { propertyDetach } from "./property_detach.ts";
import { propertyList } from "./property_list.ts";
import { rebuild } from "./rebuild.ts";
import { rulesRun } from "./rules_run.ts";
import { credentialTest } from "./test_credential.ts";
import { tokenIssue } from "./token_issue.ts";
import { tokenList } from "./token_list.ts";
import { tokenRemove } from "./token_remove.ts";

export const COMMANDS: readonly Command[] = [
  operatorAdd,
  operatorReset,
  operatorList,
  operatorRemove,
  assetAdd,
  assetList,
  assetRemove,
  tokenIssue,
  tokenList,
  tokenRemove,
  annotationList,
  annotationStrike,
  annotationUnstrike,
  ledgerImport,
  credentialAdd,
  credentialList,
  credentialTest,
  credentialRemove,
  propertyList,
  propertyAttach,
  propertyDetach,
  panelAdd,
  panelList,
  panelRemove,
  credentialsKeyRotate,
  calendarAdd,
  calendarList,
  calendarRemove,
  ...CHANNEL_COMMANDS,
  jobRun,
  archivePlan,
  rulesRun,
  archiveVerify,
  check,
  rebuild,
  backup,
];
export { actionWrite } from "./action_write.ts";
export { type DrillNeeds, drill } from "./drill.ts";
export { readGivenFile } from "./given_file.ts";
export { readNewPassword } from "./password.ts";
export { restore } from "./restore.ts";
