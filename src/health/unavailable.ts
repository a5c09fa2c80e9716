/** What is so where the result of an operation stands, and its health could not be recorded. */
export const UNRECORDED =
  "The result stands, but its health is not recorded. Nothing is asked or sent again for that.";

/** The same by itself, wherever it is said. */
export const MONITORING_UNAVAILABLE = `Monitoring is unavailable. ${UNRECORDED}`;
