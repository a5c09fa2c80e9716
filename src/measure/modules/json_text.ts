/** JSON as tools' settings have it: with comments and with commas before a closing bracket. */

const SKIP = /"(?:[^"\\\n]|\\.){0,100000}"|\/\/[^\n]*|\/\*|,(?=\s{0,200}[}\]])/g;

/** The value; `undefined` when the text is no such JSON. */
export function parseWithComments(text: string): unknown {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  return parse(plain) ?? parse(withoutComments(plain));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  SKIP.lastIndex = 0;
  for (let found = SKIP.exec(text); found !== null; found = SKIP.exec(text)) {
    const [token] = found;
    if (token.startsWith('"')) continue;
    parts.push(text.slice(from, found.index));
    from = found.index + token.length;
    if (token === "/*") {
      const close = text.indexOf("*/", from);
      from = close < 0 ? text.length : close + 2;
    }
    SKIP.lastIndex = from;
  }
  parts.push(text.slice(from));
  // A comment between a comma and its bracket hid the comma.
  return parts.join("").replace(/,(\s{0,200}[}\]])/g, "$1");
}
