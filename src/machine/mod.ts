/** The machine under the service: room on its disk, the database's log and locks, file descriptors. */
export { logAdvice } from "./log_rule.ts";
export { MachineWatch } from "./watch.ts";
