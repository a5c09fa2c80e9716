/**
 * Git, called so that nothing of the measured repository runs: no hooks, no file monitor, no pager, no network, no
 * configuration of the machine or the user, no replaced objects. Only objects of one commit are read.
 */
import { type ChildResult, runChild } from "./child.ts";

/** One repository and the git program that reads it. */
export interface Repository {
  readonly git: string;
  readonly root: string;
  readonly signal?: AbortSignal;
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
  TZ: "UTC",
};

const SETTINGS = [
  "safe.directory=*",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "log.showSignature=false",
  "log.follow=false",
  "diff.renameLimit=1000",
];

/** The largest answer of one call; a listing of 200,000 paths is far smaller. */
const MAX_BYTES = 512 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** The command line and environment of a git call, for calls that stream. */
export function gitCommand(repository: Repository, args: readonly string[]) {
  return {
    command: [
      repository.git,
      "--no-pager",
      ...SETTINGS.flatMap((setting) => ["-c", setting]),
      "-C",
      repository.root,
      ...args,
    ],
    cwd: "/",
    env: ENVIRONMENT,
  };
}

/** Runs git to its end. */
export function runGit(
  repository: Repository,
  args: readonly string[],
  maxBytes = MAX_BYTES,
): Promise<ChildResult> {
  return runChild({
    ...gitCommand(repository, args),
    timeoutMs: TIMEOUT_MS,
    maxBytes,
    ...(repository.signal === undefined ? {} : { signal: repository.signal }),
  });
}

/** The trimmed standard output of a git call, or `undefined` when git answered with an error. */
export async function gitLine(repository: Repository, args: readonly string[]): Promise<string | undefined> {
  const result = await runGit(repository, args);
  return result.ok && result.code === 0 ? new TextDecoder().decode(result.stdout).trim() : undefined;
}
