/** The worker of `data_folder.ts`: one look at a database, then it ends. */

import { messageOf } from "../base/text.ts";
import { damageOf } from "../store/migrations.ts";

declare const self: Worker;

/** What it found; `unread` where the file could not be read now, which says nothing against it. */
export type DamageAnswer = { readonly damage: readonly string[] } | { readonly unread: string };

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  self.postMessage(answer(path));
};

function answer(path: string): DamageAnswer {
  try {
    return { damage: damageOf(path) };
  } catch (error) {
    return { unread: messageOf(error) };
  }
}
