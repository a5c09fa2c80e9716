/**
 * How many tiles stand on a screen at once, and what is done with more. Pure. The stylesheet lays each fit out in columns and rows, for
 * wide screens and for high ones; a page of a Wall that turns is one row shorter, which is where the skyline stands.
 */

/** How many sites a screen may hold before the Wall turns pages. */
export const DENSITIES = { roomy: 30, normal: 60, dense: 96 } as const;
export type Density = keyof typeof DENSITIES;

/** The sizes of tiles, by how many of them a screen holds; and how many a page holds where there are more. */
export const FITS = [4, 9, 16, 30, 60, 96] as const;
export type Fit = (typeof FITS)[number];
const PAGE_OF: Readonly<Record<(typeof DENSITIES)[Density], number>> = { 30: 25, 60: 54, 96: 88 };
/** Of a page that turns, how much may be held by those that stay in place. */
const HELD_SHARE = 5 / 9;

export interface Layout<Item> {
  readonly fit: Fit;
  /** Those that stay in place; all of them where everything fits. */
  readonly held: readonly Item[];
  /** Those that take turns beside them, a page each; none where everything fits. */
  readonly pages: readonly (readonly Item[])[];
  /** How many items a page holds, those that stay in place included. */
  readonly perPage: number;
}

/** Lays out what is in its order, those that need attention first. */
export function layOut<Item>(
  items: readonly Item[],
  density: Density,
  needsAttention: (item: Item) => boolean,
): Layout<Item> {
  const most = DENSITIES[density];
  if (items.length <= most) {
    const fit = FITS.find((one) => one >= items.length) ?? most;
    return { fit, held: items, pages: [], perPage: fit };
  }
  const perPage = PAGE_OF[most];
  const attention = items.filter(needsAttention).length;
  const held = Math.min(attention, Math.floor(perPage * HELD_SHARE));
  const turning = items.slice(held);
  const slots = perPage - held;
  const pages = Array.from({ length: Math.ceil(turning.length / slots) }, (_, page) =>
    turning.slice(page * slots, (page + 1) * slots),
  );
  return { fit: most, held: items.slice(0, held), pages, perPage };
}
