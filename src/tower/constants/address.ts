import { address, type Param } from "../kit/address.ts";

/** The number of a version. */
export const VERSION: Param<number | undefined> = {
  usual: undefined,
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};

/** The query of the editor: the version that is put into it. */
export const editorAddress = address({ from: VERSION });

/** The query of the list of versions: the one it starts before. */
export const versionsAddress = address({ before: VERSION });
