/** Text of somebody else on a terminal: it neither moves the cursor nor changes what stands beside it. */

/** Control characters, and what turns the direction of a line or takes no room in it. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

const MAX_LENGTH = 2_000;

/** One line without control characters, and not endless. */
export function printable(line: string, maxLength = MAX_LENGTH): string {
  const shown = line.toWellFormed().replace(UNSEEN, "\ufffd");
  return shown.length <= maxLength ? shown : `${shown.slice(0, maxLength - 1).toWellFormed()}…`;
}
