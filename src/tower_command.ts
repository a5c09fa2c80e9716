/** `bun run tower`: a fresh checkout may be set up before its first start, say by a script, so the packages are installed here, too. */

import { preparePackages, ROOT, say, succeeds } from "./app/prepare.ts";

const { signal } = new AbortController();
if (await succeeds(() => preparePackages(ROOT, { say, signal }))) await import("./cli.ts");
else process.exitCode = 1;
