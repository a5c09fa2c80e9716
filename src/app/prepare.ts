/**
 * What a start needs beside the sources: the packages, and the bundle. Several starts at once, of two services of one checkout say, take
 * turns: a lock that goes with its process lets one of them install. Nothing is touched where all of it is there, so that a checkout
 * that cannot be written starts as well. Needs no package itself.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { countWords, messageOf, nounFor } from "../base/text.ts";
import { LockFault, takeDataLock } from "../store/lock.ts";

/**
 * The service as a few files instead of a thousand: it starts in half the time and holds a seventh less memory. `build.ts` makes them;
 * each bundle lies under the word that says what it was made of, so that nobody ever runs what was.
 */

/** Where the repository lies. */
export const ROOT = join(import.meta.dir, "..", "..");

/** Where bundles lie. */
export const bundlesFolder = (root: string): string => join(root, ".build");

/** Where the bundle of these sources lies: as deep below the root as they do, which find the folders beside `src` from there. */
export const bundleFolder = (root: string): string => join(bundlesFolder(root), stampOf(root));

/**
 * What the service is made of, in one word: what each source says, the packages, and the runtime. Not the times of the files: a copy
 * of a checkout, or an image of it, has others.
 */
function stampOf(root: string): string {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:tsx?|toml)$/.test(path))
    .map((path) => join("src", path));
  const lines = ["package.json", "bun.lock", "tsconfig.json", ...sources.sort()].map(
    (path) => `${path} ${Bun.hash(readFileSync(join(root, path)))}`,
  );
  return Bun.hash([Bun.version, ...lines].join("\n")).toString(16);
}

/** What a bundle is begun by: the service, and the commands. */
export const BUNDLED = ["serve", "run_command"] as const;

/** The module to run the service or a command from: the bundle, or the sources where there is none of these. */
export function moduleFor(root: string, name: (typeof BUNDLED)[number]): string {
  const bundled = join(bundleFolder(root), `${name}.js`);
  return existsSync(bundled) ? bundled : join(root, "src", "app", `${name}.ts`);
}

/** Loads the service. The bundle loads its pages from any working folder; the sources do in the checkout alone. */
export const loadService = async (root: string) =>
  (await import(moduleFor(root, "serve"))) as typeof import("./serve.ts");

/** Loads the commands. */
export const loadCommands = async (root: string) =>
  (await import(moduleFor(root, "run_command"))) as typeof import("./run_command.ts");

/** Between two looks whether another start is done, in milliseconds. */
const TURN_MS = 50;
/** Most lines that are shown of what an install says. */
const MOST_LINES = 3;

/** How a preparation is watched and cut short. */
interface Preparing {
  /** A line for whoever waits. */
  readonly say: (line: string) => void;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Packages are missing and cannot be installed; `message` is for a person. */
export class PackagesMissing extends Error {
  override readonly name = "PackagesMissing";
}

/** Says a line on standard error: standard output is for what is asked of the service or a command. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Whether a preparation came off; where it did not, why is said. */
export async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    say(`tower: ${error.message}`);
    return false;
  }
}

/** Installs the packages that are missing. Throws `PackagesMissing`. */
export async function preparePackages(root: string, preparing: Preparing): Promise<void> {
  if (missingPackages(root).length === 0) return;
  await inTurn(root, preparing, () => install(root, preparing));
}

/** Installs what is missing and makes the bundle where there is none; without one the service runs from its sources. Throws as above. */
export async function prepareStart(root: string, preparing: Preparing): Promise<void> {
  if (missingPackages(root).length === 0 && existsSync(bundleFolder(root))) return;
  await inTurn(root, preparing, async () => {
    await install(root, preparing);
    if (existsSync(bundleFolder(root)) || preparing.signal.aborted) return;
    const { said } = await run(
      [process.execPath, join(root, "src", "app", "build.ts")],
      root,
      preparing.signal,
    );
    if (said !== "") preparing.say(said);
  });
}

/** Where the lock cannot be made nothing else can be written either, and what is tried says so. */
async function inTurn(root: string, { signal }: Preparing, work: () => Promise<void>): Promise<void> {
  const lock = await turn(bundlesFolder(root), signal);
  try {
    await work();
  } finally {
    lock?.release();
  }
}

async function turn(folder: string, signal: AbortSignal): Promise<ReturnType<typeof takeDataLock>> {
  try {
    mkdirSync(folder, { recursive: true });
    for (;;) {
      const lock = takeDataLock(folder);
      if (lock !== undefined || signal.aborted) return lock;
      await Bun.sleep(TURN_MS);
    }
  } catch (error) {
    if (error instanceof LockFault || (error as { syscall?: unknown }).syscall !== undefined)
      return undefined;
    throw error;
  }
}

async function install(root: string, { say, signal }: Preparing): Promise<void> {
  // Another start may have done it meanwhile.
  const missing = missingPackages(root);
  if (missing.length === 0 || signal.aborted) return;
  const mark = installingMark(root);
  // A package that was left half installed would pass for a whole one.
  const wasCutOff = existsSync(mark);
  try {
    mkdirSync(dirname(mark), { recursive: true });
    writeFileSync(mark, "");
  } catch (error) {
    throw notInstalled(
      root,
      missing,
      `${messageOf(error)}; let this user write there for one start, or run bun install --production there as its owner`,
    );
  }
  say(`tower: installing ${counted(missing)} into ${dirname(mark)}`);
  const { ok, said } = await run(
    // What only tests and tools need is installed by those who run them.
    [
      process.execPath,
      "install",
      "--frozen-lockfile",
      "--production",
      "--no-progress",
      "--no-summary",
      ...(wasCutOff ? ["--force"] : []),
    ],
    root,
    signal,
  );
  if (signal.aborted) return;
  if (ok) rmSync(mark, { force: true });
  const left = missingPackages(root);
  if (!ok || left.length > 0) throw notInstalled(root, left, said);
}

function notInstalled(root: string, missing: readonly string[], why: string): PackagesMissing {
  return new PackagesMissing(
    `${counted(missing)} ${nounFor(missing.length, "is", "are")} missing in ${join(root, "node_modules")} (${missing[0]}${missing.length > 1 ? ", …" : ""}) and could not be installed: ${firstErrors(why)}`,
  );
}

const counted = ({ length }: readonly string[]) => countWords(length, "package");

/** What it fails of is told again for each package or file; warnings and advice stand between. */
function firstErrors(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("error"));
  const told = errors.length > 0 ? errors : lines;
  return [...told.slice(0, MOST_LINES), ...(told.length > MOST_LINES ? ["…"] : [])].join("\n");
}

/** Runs a program to its end; what it wrote is told together. */
async function run(command: readonly string[], cwd: string, signal: AbortSignal) {
  const child = Bun.spawn([...command], { cwd, signal, stderr: "pipe" });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { ok: (await child.exited) === 0, said: said.join("").trim() };
}

/** What says that an install is under way, or was cut off: a package may then be there in part. */
export const installingMark = (root: string): string => join(root, "node_modules", ".installing");

/** What the product asks for, by name and version. */
type Asks = Readonly<Record<string, string>>;

/**
 * The packages that the product or one beside it asks for and that are missing or of another version. Each brings what it needs itself:
 * an install that was cut off has left its mark.
 */
export function missingPackages(root: string): string[] {
  const lock = Bun.JSONC.parse(readFileSync(join(root, "bun.lock"), "utf8")) as {
    readonly workspaces: Readonly<Record<string, { readonly name?: string; readonly dependencies?: Asks }>>;
  };
  const isWhole = !existsSync(installingMark(root));
  return Object.entries(lock.workspaces).flatMap(([folder, { dependencies = {} }]) =>
    Object.entries(dependencies).flatMap(([name, version]) => {
      // What only one of them uses lies in its own folder.
      const places = [join(root, folder, "node_modules", name), join(root, "node_modules", name)];
      return isWhole && places.some((place) => versionOf(place) === version) ? [] : [`${name}@${version}`];
    }),
  );
}

/** Undefined where there is no package in a folder. */
function versionOf(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string })
      .version;
  } catch {
    return undefined;
  }
}
