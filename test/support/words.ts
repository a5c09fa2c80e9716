/** The words of a text, wherever its lines end: a long list of names as one reads it. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
