/** Links that open the Wall on a screen where nobody signs in: they give nothing but the Wall. */
export { WallLinkBook } from "./book.ts";
export {
  flushWallLinkUses,
  loadWallLinks,
  makeWallLink,
  NameTaken,
  revokeWallLink,
} from "./links.ts";
export { LONGEST_NAME, linkNameOf } from "./name.ts";
export { listWallLinks } from "./store.ts";
