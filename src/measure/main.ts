/** The entry of the measuring image. */

import process from "node:process";
import { measureProcess } from "./process.ts";

if (import.meta.main) process.exitCode = await measureProcess(process.argv.slice(2));
