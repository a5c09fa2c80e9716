/** Asking an account what it may see: the connection test and the discovery of its properties, each an operation of its own. */
export { askAccount, type ConnectionDeps } from "./ask_account.ts";
export { disconnect, removeAccount } from "./disconnect.ts";
export { type LastCheck, lastChecks } from "./last_check.ts";
