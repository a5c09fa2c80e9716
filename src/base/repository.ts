/** Web addresses of repositories and commits, as far as they are known to be plain ones, and paths in a repository. */

import * as v from "valibot";
import { hasControl, rule, text } from "./contract.ts";

/** The forms of a remote that name a host and a path: `https://host/owner/name`, `ssh://git@host/…`, `git@host:owner/name`. */
const WEB = /^(https?):\/\/([^/]+)\/(.+)$/i;
const SSH = /^ssh:\/\/git@([^/:]+)(?::22)?\/(.+)$/i;
const SCP = /^git@([^/:]+):(.+)$/;
/** Names of hosts that may stand in a link made of another form: labels and dots, at least one dot. */
const PLAIN_HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
/** Segments of a repository's path: an owner, groups below it, a name. */
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

/** What stands between a repository and a commit's name, by what the host runs. */
const COMMIT_FORMS: readonly (readonly [host: RegExp, between: string])[] = [
  [/^(?:github\.com|codeberg\.org|gitea\.com|git\.sr\.ht)$/, "/commit/"],
  [/^(?:github|gitea|forgejo)\./, "/commit/"],
  [/^gitlab\./, "/-/commit/"],
  [/^bitbucket\.org$/, "/commits/"],
];

/**
 * The web address of a repository, from its remote: an http(s) address of a host and a path, or the SSH form of a plain host, which
 * is taken to serve the same path over https. Undefined for anything else, so that it stays text.
 */
export function repositoryAddress(remote: string): string | undefined {
  const [, scheme, server = "", served = ""] = WEB.exec(remote) ?? [];
  if (scheme !== undefined) return addressOf(scheme.toLowerCase(), server, served);
  const [, host = "", path = ""] = SSH.exec(remote) ?? SCP.exec(remote) ?? [];
  return PLAIN_HOST.test(host) ? addressOf("https", host, path) : undefined;
}

/** A remote without who signs in there, which may be a password or a token; `git@` is the one of everybody. */
export function withoutUser(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)(?!git@)[^/]*@/i, "$1");
}

/** Nothing is made of what a browser would read as another address than it looks: the host and the path stand in it as they were. */
function addressOf(scheme: string, server: string, path: string): string | undefined {
  const segments = path
    .replace(/\/$/, "")
    .replace(/\.git$/, "")
    .split("/");
  if (segments.length < 2 || !segments.every((segment) => SEGMENT.test(segment))) return undefined;
  const address = `${scheme}://${server.toLowerCase()}/${segments.join("/")}`;
  return URL.canParse(address) && isItself(new URL(address), address) ? address : undefined;
}

function isItself({ href, username }: URL, address: string): boolean {
  return href === address && username === "";
}

/** The web address of a commit, where it is known how the repository's host writes it. */
export function commitAddress(remote: string, commit: string): string | undefined {
  const repository = repositoryAddress(remote);
  if (repository === undefined || !/^[0-9a-f]{40}$/i.test(commit)) return undefined;
  const { hostname } = new URL(repository);
  const form = COMMIT_FORMS.find(([host]) => host.test(hostname));
  return form === undefined ? undefined : `${repository}${form[1]}${commit}`;
}

/** Longest path in code points (spec, Limits). */
export const MAX_PATH_LENGTH = 512;

/** Whether a path is repository-relative: not empty, not absolute (POSIX or drive letter). */
export function isRelative(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !/^[A-Za-z]:/.test(path);
}

/** Whether a path holds a `..` segment. */
export function climbs(path: string): boolean {
  return path.includes("..") && path.split("/").includes("..");
}

/** The same four rules as one pattern, for the API's description. */
const PATH_PATTERN = String.raw`^(?!\/|[A-Za-z]:)(?!(?:[^\/]*\/)*\.\.(?:\/|$))[^\\\u0000-\u001f\u007f-\u009f]+$`;

/** A repository-relative path: at most 512 characters, no `..` segment, no backslash, no control character. */
export const RepositoryPath = v.pipe(
  text(MAX_PATH_LENGTH),
  rule<string>("path-relative", isRelative, "must be relative to the repository and not empty"),
  rule<string>("path-segment", (path) => !climbs(path), "must not hold a .. segment"),
  rule<string>("path-backslash", (path) => !path.includes("\\"), "must not hold a backslash"),
  rule<string>("control-character", (path) => !hasControl(path), "must not hold a control character"),
  v.metadata({ pattern: PATH_PATTERN }),
);
