/** The attachment of a site to a provider. Throws where there is none. */

import type { Deps } from "../../src/app/app.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { listAttachmentsOf } from "../../src/providers/attachments.ts";

export function findAttachment({ store }: Pick<Deps, "store">, asset: string, provider: Provider) {
  const found = listAttachmentsOf(store.db, asset).find((one) => one.provider === provider);
  if (found === undefined) throw new Error(`${asset} is not attached to ${provider}`);
  return found;
}
