/** The service's process. */
import { serve } from "./serve.ts";

process.exitCode = await serve();
