/** Percent of a plot's width, in two digits at most. */
export function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}
