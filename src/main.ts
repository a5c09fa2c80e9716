/** The service's process. */
import { ROOT, serviceModule } from "./bundle.ts";

const { serve } = (await import(serviceModule(ROOT))) as typeof import("./serve.ts");
process.exitCode = await serve();
