/** Every command that works on the data: in the running service, or on its folder where none runs. */

import {
  credentialAdd,
  credentialList,
  credentialRemove,
  credentialsKeyRotate,
  credentialTest,
} from "./accounts.ts";
import { backup } from "./backups.ts";
import { CHANNEL_COMMANDS } from "./channel.ts";
import type { Command } from "./command.ts";
import { operatorAdd, operatorList, operatorRemove, operatorReset } from "./operators.ts";
import { panelAdd, panelList, panelRemove } from "./panel.ts";
import { propertyAttach, propertyDetach, propertyList } from "./properties.ts";
import { assetAdd, assetList, assetRemove } from "./sites.ts";
import {
  annotationList,
  annotationStrike,
  annotationUnstrike,
  calendarAdd,
  calendarList,
  calendarRemove,
  ledgerImport,
} from "./timeline.ts";
import { tokenIssue, tokenList, tokenRemove } from "./tokens.ts";
import { archiveVerify, check, rebuild } from "./upkeep.ts";
import { archivePlan, jobRun, rulesRun } from "./work.ts";

/** Every command that works on the data, in the order of the overview. */
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
