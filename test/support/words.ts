/** The words of a text, wherever its lines end: a long list of names as one reads it. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** The texts between bars, which may hold spaces. */
export const texts = (...lines: readonly string[]): string[] => lines.flatMap((line) => line.split("|"));
