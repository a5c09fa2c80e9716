/** The worker of `measureStored`: one look at a database file, then it ends. */

import "../base/low_priority.ts";
import { tableSizesOf } from "./growth.ts";

declare const self: Worker;

self.onmessage = ({ data: path }: MessageEvent<string>) => self.postMessage(tableSizesOf(path));
