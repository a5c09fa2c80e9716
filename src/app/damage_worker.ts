/** The worker of `data_folder.ts`: one look at a database, then it ends. */

import { damageOf } from "../store/migrations.ts";

declare const self: Worker;

self.onmessage = ({ data: path }: MessageEvent<string>) => self.postMessage(damageOf(path));
