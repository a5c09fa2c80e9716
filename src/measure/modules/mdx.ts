/** MDX: imports and exports stand in blocks of their own between prose. */

/** The text with everything but those blocks made blank, at its own lines. */
export function mdxScripts(text: string): string {
  let isScript = false;
  let isFenced = false;
  const lines = text.split("\n").map((line) => {
    if (/^\s{0,3}(```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced && /^(import|export)\s/.test(line)) isScript = true;
    else if (line.trim() === "") isScript = false;
    return isScript && !isFenced ? line : "";
  });
  return lines.join("\n");
}
