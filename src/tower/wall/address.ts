import { LONGEST_GROUP } from "../../assets/contract.ts";
import { type Address, address, named, oneOf, PAGE } from "../kit/address.ts";
import { DENSITIES, type Density } from "./fit.ts";

/** What an address of the Wall asks for. What it says that is not understood reads as not given. */
export interface WallQuery {
  /** Only the sites of this group; null for all. */
  readonly group: string | null;
  /** The look; null for the one that the browser's operator chose. */
  readonly theme: "light" | "dark" | "system" | null;
  readonly density: Density;
  /** The page to stay on; null turns them. */
  readonly page: number | null;
}

export const wallAddress: Address<WallQuery> = address<WallQuery>({
  group: named(LONGEST_GROUP, null),
  theme: oneOf<"light" | "dark" | "system", null>(["light", "dark", "system"], null),
  density: oneOf(Object.keys(DENSITIES) as Density[], "normal"),
  page: { usual: null, read: PAGE.read },
});
