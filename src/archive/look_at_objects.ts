import type { ObjectFault, ObjectStore, StoredObject } from "../objects/contract.ts";
import { verifyObject } from "../objects/mod.ts";

/** An object that was read anew; the fault is undefined where it is whole. */
export interface LookedAt<O extends StoredObject> {
  readonly object: O;
  readonly fault: ObjectFault | undefined;
}

/** Objects that are read at once: a disk is one, a bucket is far away. */
const AT_ONCE = { directory: 2, s3: 8 } as const;

/**
 * Reads objects anew, in their order, a few at once; memory grows neither with them nor with their size. Throws `StoreFault` where the
 * store cannot be used.
 */
export async function* lookAtObjects<O extends StoredObject>(
  store: ObjectStore,
  objects: Iterable<O>,
): AsyncGenerator<LookedAt<O>> {
  const under: Promise<LookedAt<O>>[] = [];
  const look = async (object: O) => ({ object, fault: await verifyObject(store, object) });
  for (const object of objects) {
    const looking = look(object);
    // What fails is thrown in its turn.
    looking.catch(() => undefined);
    under.push(looking);
    const next = under.length < AT_ONCE[store.kind] ? undefined : under.shift();
    if (next !== undefined) yield await next;
  }
  for (const looking of under) yield await looking;
}
