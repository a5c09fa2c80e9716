/** Chance that can be drawn again: the same words always give the same number, in any order of asking. */

/** A number that stands for some words, for `uniform`. */
export function seedOf(seed: number, ...words: readonly (string | number)[]): number {
  return Bun.hash.xxHash32(words.join("\u0000"), seed >>> 0);
}

/** A number above 0 and below 1 for the `place`-th draw of a seed. */
export function uniform(seed: number, place: number): number {
  let mixed = (seed ^ Math.imul(place + 0x9e3779b9, 0x85ebca6b)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296 + 1 / 8_589_934_592;
}

/** A draw of the normal distribution with mean 0 and variance 1 (Box and Muller). */
export function normal(seed: number, place: number): number {
  const [one, other] = [uniform(seed, 2 * place), uniform(seed, 2 * place + 1)];
  return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other);
}

/** Above this mean a count is drawn from the normal distribution: its shape differs too little to be seen. */
const LARGE = 60;

/** A count with this mean and a variance of `dispersion` times the mean: Poisson at 1, negative binomial above. */
export function count(mean: number, dispersion: number, seed: number, place: number): number {
  if (!(mean > 0)) return 0;
  if (mean > LARGE) {
    return Math.max(0, Math.round(mean + normal(seed, place) * Math.sqrt(mean * dispersion)));
  }
  const wanted = uniform(seed, place);
  const isSpread = dispersion > 1;
  const size = isSpread ? mean / (dispersion - 1) : 0;
  let chance = isSpread ? dispersion ** -size : Math.exp(-mean);
  let drawn = 0;
  // What the sum cannot reach for its rounding ends at twenty times the largest mean.
  for (let below = chance; below < wanted && drawn < 20 * LARGE; drawn++, below += chance) {
    chance *= isSpread ? ((drawn + size) / (drawn + 1)) * (1 - 1 / dispersion) : mean / (drawn + 1);
  }
  return drawn;
}
