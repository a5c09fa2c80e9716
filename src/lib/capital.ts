/** Words with a capital at their beginning: "search console" begins a sentence as "Search console". */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
