/** A bare Debian root, and running something in it: every mount lies in a namespace of its own and ends with what runs there. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What runs in a root, and how far it is held off from the machine. */
export interface Call {
  readonly root: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Anything but root runs without a capability and cannot gain one. */
  readonly uid: number;
  /** `build` has the machine's network, and its registries and certificates; `none` has a loopback of its own alone. */
  readonly network: "build" | "none";
  /** Folders that are seen inside: where from, where, and whether they can be written. */
  readonly binds?: readonly { readonly from: string; readonly to: string; readonly writable: boolean }[];
  /** The root cannot be written, and /tmp lies in memory. */
  readonly readOnly?: boolean;
}

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** Programs of the machine that this needs. */
export const PROGRAMS = ["debootstrap", "unshare", "nsenter", "setpriv", "chroot", "ip", "git"] as const;

/** What runs now: it ends with this program, and all that it started with it. */
const running = new Set<Child>();
let isEnding = false;

export function endAll(): void {
  isEnding = true;
  for (const child of running) child.kill("SIGKILL");
}

function spawn(command: readonly string[], env: Readonly<Record<string, string | undefined>>): Child {
  if (isEnding) throw new Error("ended by a signal");
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", env });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CERTIFICATES = "/run/machine.crt";

/** Makes a root as small as the slim image's, from the mirror that this machine takes its own packages from. */
export async function makeRoot(folder: string): Promise<void> {
  const lists = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"];
  const mirror = Bun.which("apt-get") === null ? "" : await said(lists);
  const from =
    mirror
      .split("\n")
      .find((line) => line.endsWith(" bookworm"))
      ?.split(" ")[0] ?? "";
  // debootstrap mounts as well: in a namespace of its own, so that nothing of it stays.
  const command = ["debootstrap", "--variant=minbase", "bookworm", folder, from].filter(
    (word) => word !== "",
  );
  await said([
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--propagation",
    "private",
    ...command,
  ]);
  // The image knows no name server; a step that has the network is given the machine's.
  writeFileSync(join(folder, "etc", "resolv.conf"), "");
  rmSync(join(folder, "var", "cache", "apt", "archives"), { recursive: true, force: true });
}

export async function copyRoot(from: string, to: string): Promise<void> {
  refuseMounts(from);
  mkdirSync(dirname(to), { recursive: true });
  await said(["cp", "--archive", "--one-file-system", from, to]);
}

/** Removes a folder, unless something is mounted in it: then nothing is touched. */
export function removeRoot(folder: string): void {
  refuseMounts(folder);
  rmSync(folder, { recursive: true, force: true });
}

function refuseMounts(folder: string): void {
  const mounts = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  const inside = mounts.filter((path) => path === folder || path.startsWith(`${folder}/`));
  if (inside.length > 0) throw new Error(`still mounted: ${inside.join(", ")}`);
}

/** Starts it; its process is the first of its namespace, as in a container. */
export function start(call: Call): Child {
  const { root, binds = [], network, readOnly = false } = call;
  const certificates = process.env["SSL_CERT_FILE"] ?? process.env["NODE_EXTRA_CA_CERTS"];
  const building = network === "build";
  const lines = ['mount --bind "$1" "$1"', 'cd "$1"', "mount -t tmpfs tmpfs dev"];
  for (const name of ["null", "zero", "full", "random", "urandom"]) {
    lines.push(`touch dev/${name}`, `mount --bind /dev/${name} dev/${name}`);
  }
  lines.push("mount -t tmpfs -o mode=1777 tmpfs dev/shm 2>/dev/null || true", "mount -t proc proc proc");
  if (building) {
    lines.push("mount -t tmpfs tmpfs run", "mount --bind /etc/resolv.conf etc/resolv.conf");
    if (certificates !== undefined) {
      lines.push(`touch .${CERTIFICATES}`, `mount --bind ${quoted(certificates)} .${CERTIFICATES}`);
    }
  } else lines.push("ip link set lo up");
  for (const { from, to, writable } of binds) {
    lines.push(`mkdir -p .${quoted(to)}`, `mount --bind ${quoted(from)} .${quoted(to)}`);
    if (!writable) lines.push(`mount -o remount,bind,ro .${quoted(to)}`);
  }
  if (readOnly)
    lines.push("mount -o remount,bind,ro .", "mount -t tmpfs -o mode=1777,size=1g,noexec tmpfs tmp");
  lines.push('root=$1; shift; exec chroot "$root" /usr/bin/env -i "$@"');
  const env = {
    PATH,
    HOME: call.uid === 0 ? "/root" : "/",
    ...(building ? machineSettings(certificates) : {}),
    ...call.env,
  };
  const confined = ["setpriv", `--reuid=${call.uid}`, `--regid=${call.uid}`, "--clear-groups"];
  const inside = [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...(call.uid === 0 ? [] : [...confined, "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]),
    ...["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", call.cwd, ...call.command],
  ];
  const apart = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts", "--propagation", "private"];
  const isolated = building ? apart : [...apart, "--net"];
  return spawn(
    ["unshare", ...isolated, "sh", "-eu", "-c", lines.join("\n"), "sh", root, ...inside],
    process.env,
  );
}

/** Runs it to its end. */
export async function run(
  call: Call,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return ended(start(call));
}

export async function ended(child: Child) {
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** Runs a program of this machine and returns what it said. Throws with it when it fails. */
export async function said(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, { ...process.env, ...env });
  const { code, out, err } = await ended(child);
  if (code !== 0)
    throw new Error(`${command.join(" ")} ended with ${code}\n${out.slice(-2_000)}${err.slice(-2_000)}`);
  return out;
}

/** What this machine says of registries, proxies and certificates: a step gets it, the image never does. */
function machineSettings(certificates: string | undefined): Record<string, string> {
  const names = ["http_proxy", "https_proxy", "no_proxy", "npm_config_registry"];
  const own = names.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]],
  );
  const trust = certificates !== undefined && existsSync(certificates);
  return { ...Object.fromEntries(own), ...(trust ? { NODE_EXTRA_CA_CERTS: CERTIFICATES } : {}) };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
