/** The service's process. */

import { loadService, ROOT } from "./app/prepare.ts";

const { serve } = await loadService(ROOT);
process.exitCode = await serve();
