/** The worker of `on_worker.ts`: one check, then it ends. */
import { MacKey, type MacKeyMaterial } from "../platform/keys.ts";
import { checkDatabase } from "./check_file.ts";

declare const self: Worker;

/** What to check. */
export interface CheckRequest {
  readonly path: string;
  readonly auditKey: MacKeyMaterial | undefined;
}

self.onmessage = ({ data: { path, auditKey } }: MessageEvent<CheckRequest>) => {
  self.postMessage(checkDatabase(path, auditKey === undefined ? undefined : new MacKey(auditKey)));
};
