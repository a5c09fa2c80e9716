/** JSON as tools' settings have it: with comments and with commas before a closing bracket. */

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
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (one === "\\") at++;
    else if (one === '"') isText = !isText;
    else if (one === "\n") isText = false;
    else if (!isText && one === "/") {
      const end = commentEnd(text, at);
      if (end === undefined) continue;
      parts.push(text.slice(from, at));
      from = end;
      at = end - 1;
    }
  }
  parts.push(text.slice(from));
  return parts.join("").replace(/,(\s{0,200}[}\]])/g, "$1");
}

/** Index behind the comment that begins at `at`; `undefined` when none does. */
function commentEnd(text: string, at: number): number | undefined {
  const mark = text.charAt(at + 1);
  if (mark !== "/" && mark !== "*") return undefined;
  const end = mark === "/" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
  if (end < 0) return text.length;
  return mark === "/" ? end : end + 2;
}
