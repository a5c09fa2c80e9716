/** `bun run tower`: a fresh checkout may be set up before its first start, say by a script, so the packages are installed here, too. */

import { cameOff, preparePackages, ROOT, say } from "./app/prepare.ts";

const { signal } = new AbortController();
if (await cameOff(() => preparePackages(ROOT, { say, signal }))) await import("./cli.ts");
else process.exitCode = 1;
