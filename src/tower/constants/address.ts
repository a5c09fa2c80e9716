import { address, ROW } from "../kit/address.ts";

/** The query of the editor: the version that is put into it. */
export const editorAddress = address({ from: ROW });

/** The query of the list of versions: the one it starts before. */
export const versionsAddress = address({ before: ROW });
