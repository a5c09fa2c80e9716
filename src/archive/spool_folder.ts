import { join } from "node:path";

/** Where reports lie on their way into the archive; nothing in it outlives a run. */
export const spoolFolder = (dataDir: string): string => join(dataDir, "archive-spool");
