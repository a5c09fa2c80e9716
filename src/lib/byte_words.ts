const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number of bytes for people: "812 MiB", "2.4 GiB". */
export function byteWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  const shown = value >= 10 || Number.isInteger(value) ? Math.round(value) : Math.round(value * 10) / 10;
  return `${shown} ${UNITS[unit]}`;
}
