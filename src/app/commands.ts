/** Every command that works on the data: in the running service, or on its folder where none runs. */

import { CREDENTIAL_COMMANDS, credentialsKeyRotate } from "./accounts.ts";
import { backup } from "./backups.ts";
import { CHANNEL_COMMANDS } from "./channel.ts";
import type { Command } from "./command.ts";
import { PANEL_COMMANDS, PROPERTY_COMMANDS } from "./properties.ts";
import { ASSET_COMMANDS, CALENDAR_COMMANDS, ledgerImport } from "./sites.ts";
import { OPERATOR_COMMANDS, TOKEN_COMMANDS } from "./tokens.ts";
import { archiveVerify, check, jobRun, rebuild, rulesRun } from "./work.ts";

/** In the order of the overview. */
export const COMMANDS: readonly Command[] = [
  ...OPERATOR_COMMANDS,
  ...ASSET_COMMANDS,
  ...TOKEN_COMMANDS,
  ledgerImport,
  ...CREDENTIAL_COMMANDS,
  ...PROPERTY_COMMANDS,
  ...PANEL_COMMANDS,
  credentialsKeyRotate,
  ...CALENDAR_COMMANDS,
  ...CHANNEL_COMMANDS,
  jobRun,
  rulesRun,
  archiveVerify,
  check,
  rebuild,
  backup,
];
