/** A list of words as it is written in a text: between spaces or on lines of their own. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
