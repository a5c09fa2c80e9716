/** Seeded counts for simulations: the same seed gives the same numbers on every machine. */

/** A source of numbers from 0 up to 1. */
export type Random = () => number;

/** Mulberry32: 32 bits of state, even enough for the simulations here. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers of another seed in each run, or of the one named by `SEED`. The seed is printed, so that a run can be made again. */
export function freshlySeeded(what: string): Random {
  const seed = Number(Bun.env["SEED"] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  process.stdout.write(`${what}: SEED=${seed}\n`);
  return seeded(seed);
}

/** A standard normal number (Box–Muller). */
export function randomNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A gamma number of scale 1 (Marsaglia and Tsang, 2000). */
export function randomGamma(random: Random, shape: number): number {
  if (shape < 1) return randomGamma(random, shape + 1) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = randomNormal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** A Poisson count; a large mean is cut down by the time of its k-th event (Ahrens and Dieter, 1974). */
export function randomPoisson(random: Random, mean: number): number {
  if (mean > 30) {
    const k = Math.floor((mean * 7) / 8);
    const time = randomGamma(random, k);
    return time > mean ? randomBinomial(random, k - 1, mean / time) : k + randomPoisson(random, mean - time);
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = 1 - random(); product > limit; product *= 1 - random()) count++;
  return count;
}

function randomBinomial(random: Random, trials: number, share: number): number {
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (random() < share) count++;
  return count;
}

/** A count of the given mean whose variance is `dispersion` times the mean (gamma-Poisson). */
export function randomCount(random: Random, mean: number, dispersion: number): number {
  if (dispersion === 1 || mean === 0) return randomPoisson(random, mean);
  return randomPoisson(random, randomGamma(random, mean / (dispersion - 1)) * (dispersion - 1));
}
