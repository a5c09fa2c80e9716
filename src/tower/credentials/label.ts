/** What a credential may be called. Pure. */

/** Longest label, in characters. */
export const LONGEST_LABEL = 100;

/** What is wrong with a label, as a sentence; undefined for one that may be. It is shown on every page, so that no account stands in it. */
export function labelFault(label: string): string | undefined {
  if (label.trim() === "" || [...label].length > LONGEST_LABEL || /\p{Cc}/u.test(label)) {
    return `It must be 1 to ${LONGEST_LABEL} characters on one line.`;
  }
  return label.includes("@") ? "It must hold no e-mail address: it is shown on pages." : undefined;
}
