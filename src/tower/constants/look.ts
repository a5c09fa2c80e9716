import type { ConstantsStore } from "../../constants/mod.ts";
import { StorageUnavailable } from "../../db/mod.ts";

/**
 * Looks whether the file changed, before a page tells of it. The page is shown even when the disk is full and a version found
 * on it cannot be recorded now: the keeper tries again.
 */
export async function lookAtFile(constants: Pick<ConstantsStore, "refresh">): Promise<void> {
  try {
    await constants.refresh();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}
