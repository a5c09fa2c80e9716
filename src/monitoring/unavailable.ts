/** What is said wherever the result of an operation stands, and its health could not be recorded. */
export const MONITORING_UNAVAILABLE =
  "Monitoring is unavailable: what came of it is stored, but its health is not recorded. Nothing is sent again.";
