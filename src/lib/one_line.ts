/** What a terminal obeys or does not show: control and format characters, and the separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text of unknown origin for one line of a terminal: what would move the cursor, begin a line, turn the writing round or not show
 * is spelt out, so that the text can hide neither itself nor its neighbours.
 */
export function onOneLine(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
