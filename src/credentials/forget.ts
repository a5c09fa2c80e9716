import { appendAudit } from "../audit/mod.ts";
import type { Writer } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";
import type { By } from "./add.ts";
import type { Detachment } from "./contract.ts";
import { deleteDetachment, findDetachment } from "./detachment_store.ts";

/** Forgets that a site had a connection of a provider; undefined where none was taken away. What was pulled over it stays. */
export function forgetDetachment(
  { writer }: { readonly writer: Writer },
  of: { readonly asset: string; readonly provider: Provider },
  { actor, now }: By,
): Promise<Detachment | undefined> {
  return writer.write((tx) => {
    const known = findDetachment(tx, of);
    if (known === undefined) return undefined;
    deleteDetachment(tx, of.asset, of.provider);
    const { asset: target, provider, property } = known;
    appendAudit(tx, { at: now, actor, act: "property.forget", target, detail: { provider, property } });
    return known;
  });
}
