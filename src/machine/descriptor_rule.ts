/** Whether file descriptors run out. Pure. */

/** Descriptors kept free, so that files and sockets can still be opened: a tenth, at most 256, at least 16. */
export function reserveOf(limit: number): number {
  return Math.max(16, Math.min(256, Math.floor(limit / 10)));
}

/** Whether so many open descriptors reach into the reserve. */
export function isExhausted({ open, limit }: { readonly open: number; readonly limit: number }): boolean {
  return open > limit - reserveOf(limit);
}
