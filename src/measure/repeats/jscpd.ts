/** Calling jscpd: fixed parameters, a configuration of our own, an empty working folder, an empty environment. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Limits, runChild } from "../child.ts";
import type { Stage } from "../texts.ts";

/**
 * Parameters of the duplication search: jscpd's documented sizes; comments do not count. It skips a larger file without a word, so the
 * largest size is above that of any copy: one of 1 MiB grows where it holds bytes that are no text.
 */
export const DUPLICATION_PARAMETERS = { minTokens: 50, minLines: 5, mode: "weak", maxSize: "4mb" } as const;

/** A report of jscpd, or the reason why there is none. */
export type ToolReport =
  | { readonly ok: true; readonly report: unknown; readonly stderr: string }
  | { readonly ok: false; readonly reason: string };

const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_REPORT_MB = 128;

/**
 * Staged files of the largest repositories measured took 0.33 GB, their whole trees 1.3. The report holds source text, so its
 * size needs a limit as well.
 */
const LIMITS: Limits = { memoryMb: 2048, cpuSeconds: 600, fileMb: MAX_REPORT_MB };

/** `jscpd <version>` as the program says it, or `undefined` when it cannot be run. */
export async function jscpdVersion(
  program: string,
  cwd: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const result = await runChild({
    command: [program, "--version"],
    cwd,
    env: {},
    limits: LIMITS,
    timeoutMs: 10_000,
    maxBytes: MAX_OUTPUT,
    ...(signal === undefined ? {} : { signal }),
  });
  if (!result.ok || result.code !== 0) return undefined;
  return /^jscpd \d[\w.+-]{0,40}$/.exec(new TextDecoder().decode(result.stdout).trim())?.[0];
}

/** Searches a folder of the stage for repeated blocks. */
export function findDuplicates(
  program: string,
  stage: Stage,
  scan: "code" | "part",
  signal?: AbortSignal,
): Promise<ToolReport> {
  const { minTokens, minLines, mode, maxSize } = DUPLICATION_PARAMETERS;
  const sizes = [
    "-k",
    String(minTokens),
    "-l",
    String(minLines),
    "-m",
    mode,
    "-z",
    maxSize,
    "--workers",
    "2",
  ];
  return run(program, stage, { name: "duplicates", file: "jscpd-report.json", args: sizes, scan }, signal);
}

interface Call {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly scan: "code" | "part";
}

async function run(
  program: string,
  stage: Stage,
  call: Call,
  signal: AbortSignal | undefined,
): Promise<ToolReport> {
  const config = join(stage.root, `${call.name}.json`);
  const output = join(stage.root, call.name);
  // A report of an earlier part must not be taken for one that was never written.
  rmSync(output, { recursive: true, force: true });
  writeFileSync(config, JSON.stringify(DUPLICATION_PARAMETERS), { mode: 0o600 });
  const result = await runChild({
    command: [
      program,
      ...call.args,
      "-c",
      config,
      "--no-gitignore",
      "-r",
      "json,silent",
      "-o",
      output,
      join(stage.root, call.scan),
    ],
    cwd: join(stage.root, "cwd"),
    // Without a home of its own it asks the machine for the user's, and reads the ignore rules of the user's git.
    env: { HOME: join(stage.root, "cwd") },
    limits: LIMITS,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_OUTPUT,
    ...(signal === undefined ? {} : { signal }),
  });
  if (!result.ok) return { ok: false, reason: REASONS[result.reason] };
  if (result.code !== 0) return { ok: false, reason: `jscpd ended with code ${result.code}` };
  return readReport(join(output, call.file), result.stderr);
}

const REASONS = {
  missing: "jscpd cannot be started",
  killed: "jscpd went over its memory, time or size limit, or broke",
  timeout: "jscpd did not finish within 5 minutes",
  "too-large": "jscpd wrote more than the output limit",
} as const;

async function readReport(path: string, stderr: string): Promise<ToolReport> {
  const file = Bun.file(path);
  if (!(await file.exists())) return { ok: false, reason: "jscpd wrote no report" };
  if (file.size > MAX_REPORT_MB * 1024 * 1024)
    return { ok: false, reason: "jscpd's report is larger than the output limit" };
  try {
    return { ok: true, report: await file.json(), stderr };
  } catch {
    return { ok: false, reason: "jscpd's report is not JSON" };
  }
}
