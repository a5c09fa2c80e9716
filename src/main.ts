/** The service's process. */

import { ROOT, serviceModule } from "./app/prepare.ts";

const { serve } = (await import(serviceModule(ROOT))) as typeof import("./app/serve.ts");
process.exitCode = await serve();
