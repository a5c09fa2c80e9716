import { listAttachmentsOf } from "../../src/credentials/mod.ts";
import type { Deps } from "../../src/deps.ts";
import type { Provider } from "../../src/provider/contract.ts";

/** The attachment of a site to a provider. Throws where there is none. */
export function findAttachment({ store }: Pick<Deps, "store">, asset: string, provider: Provider) {
  const found = listAttachmentsOf(store.db, asset).find((one) => one.provider === provider);
  if (found === undefined) throw new Error(`${asset} is not attached to ${provider}`);
  return found;
}
