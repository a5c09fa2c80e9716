/**
 * The address of a remote without anything secret: a continuous-integration checkout can hold a token in it. User,
 * password, query and fragment go; a local path keeps its last segment only, because folders name people.
 */
export function cleanRemote(remote: string): string | undefined {
  const text = stripControls(remote).trim();
  if (text === "") return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return cleanUrl(text);
  const scp = /^(?:[^@/]*@)?([A-Za-z0-9._-]{2,}|\[[0-9a-fA-F:.]+\]):(?!\/\/)(.+)$/.exec(text);
  if (scp !== null && !text.startsWith("/")) return bounded(`${scp[1]}:${cutTail(scp[2] ?? "")}`);
  return lastSegment(text);
}

const MAX_ADDRESS = 2_048;

function cleanUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (url.protocol === "file:" || url.host === "") return lastSegment(cutTail(url.pathname));
  return bounded(`${url.protocol}//${url.host}${url.pathname}`);
}

function cutTail(path: string): string {
  return path.replace(/[?#].*$/s, "");
}

function lastSegment(path: string): string | undefined {
  const segments = path
    .split(/[/\\]/)
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..");
  const last = segments.at(-1) === ".git" ? segments.at(-2) : segments.at(-1);
  return last === undefined ? undefined : bounded(last);
}

function stripControls(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
}

function bounded(address: string): string | undefined {
  return address.length <= MAX_ADDRESS && address.isWellFormed() ? address : undefined;
}
