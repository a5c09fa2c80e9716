/**
 * What whoever asks under a name that is none of ours is told: the setting that would make it one. It is made of the asked name, where
 * that is one, and of the listener's port; no name of ours is in it, since a page that was rebound to this machine can read it.
 */
import { bracketed, hasPort, isHostAndPort, isLoopback, isWildcard } from "./host_name.ts";

/** A `Host` that could be a name of ours, and what would help. */
export interface UnknownHost {
  /** The asked name, in lower case; it holds letters, digits and `.:-_[]` only. */
  readonly asked: string;
  /** The line that adds it. */
  readonly setting: string;
  /** The tunnel under which no setting is needed; null unless the name is one of loopback, as it is behind a tunnel. */
  readonly tunnel: string | null;
}

/** Reads a `Host` header; undefined for none, and for what no setting could make a name of ours. */
export function unknownHost(header: string | null, port: number): UnknownHost | undefined {
  const asked = header?.toLowerCase() ?? "";
  const name = hasPort(asked) ? asked.replace(/:\d+$/, "") : asked;
  if (!isHostAndPort(asked) || isWildcard(name) || name !== bracketed(name)) return undefined;
  return {
    asked,
    setting: `ALLOWED_HOSTS=${asked}`,
    tunnel: isLoopback(name) ? `ssh -L ${port}:127.0.0.1:${port}` : null,
  };
}

/** The same in one sentence or two, for programs. */
export function unknownHostDetail(unknown: UnknownHost | undefined): string {
  if (unknown === undefined) {
    return "Use one of the service's own or published names as the host; the setting ALLOWED_HOSTS adds names.";
  }
  const { asked, setting, tunnel } = unknown;
  return [
    `${asked} is not one of this service's names; the setting ${setting} makes it one.`,
    ...(tunnel === null
      ? []
      : [`A tunnel with the same port at both ends needs no setting: ${tunnel} <computer>.`]),
  ].join(" ");
}
