/** The service: opens the data, listens on both addresses, works its schedule, and drains when asked to stop. */

import { lookup } from "node:dns/promises";
import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { hasPerson as hasOperator } from "../access/operators.ts";
import { keepSetupLink, renewSetupLink } from "../access/setup_link.ts";
import { systemClock, systemIds } from "../base/base.ts";
import { onceLoaded, stopInSteps } from "../base/concurrency.ts";
import {
  bothPorts,
  type Config,
  misspelledSettings,
  plainHttpWarnings,
  processEnvironment,
  readAssetTokensFile,
  readConfig,
} from "../base/config.ts";
import { addressesBoundTo, bracketed, isAddress, isWildcard, unbracketed } from "../base/hosts.ts";
import {
  compressed,
  type HttpHandler,
  INGEST_HEADERS,
  type Listening,
  listen,
  pathOf,
} from "../base/http_handler.ts";
import { configureLog, logOf } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { ConfigError, type Environment } from "../base/setting.ts";
import { hasTerminal, usesTerminal } from "../base/starters.ts";
import { storageFault } from "../base/storage_fault.ts";
import { codeOf } from "../base/text.ts";
import { flushRefusals } from "../health/refusals.ts";
import { beat } from "../rules/freshness.ts";
import { ensureAssets } from "../sites/site_changes.ts";
import { startCheckpointer } from "../store/checkpoint.ts";
import { type LockedDataDir, lockDataDir, type Opened } from "./boot.ts";
import { serveControl } from "./control.ts";
import { DataFolderFault } from "./data_folder.ts";
import { createIngest, type EdgeDeps, edgeOf, type Ports, towerEdge } from "./ingest_app.ts";
import { flushTokenUses, JOBS, type Job, judgeFreshness, startSchedule } from "./schedule.ts";

/** How long requests under way may take to finish after a stop was asked for, in milliseconds. */
const DRAIN_MS = 10_000;
/** How long any other step of a stop may take, in milliseconds. */
const STEP_MS = 3_000;
/** How long the process may live on after a stop, in milliseconds. */
const LAST_MS = 500;
/** How long requests under way may go on when connections are closed for want of descriptors, in milliseconds. */
const RENEW_GRACE_MS = 1_000;
/** Tokens shorter than this are easy to guess. */
const SHORT_TOKEN = 16;

/** Runs the service until it is told to stop, or `starterGone` resolves. Returns the exit code. */
export async function serve(starterGone: Promise<void> = new Promise(() => undefined)): Promise<number> {
  // What it says may have nobody who reads it: a closed terminal, a pipe to a program that has ended.
  process.stdout.on("error", () => undefined);
  let config: Config;
  let held: LockedDataDir;
  try {
    config = readConfig(processEnvironment());
    await configureLog(config.logLevel);
    held = await lockDataDir(config);
  } catch (error) {
    return refused(error);
  }
  const listeners = await listenOnBoth(config);
  if (listeners === undefined) {
    held.release();
    return 1;
  }
  let opened: Opened;
  try {
    opened = await held.open();
  } catch (error) {
    await listeners.stop(0);
    return refused(error);
  }
  for (const warning of settingWarnings(config, processEnvironment())) logOf("service").warn(warning);
  // From here on a stop that was asked for is remembered, even before there is anything to stop.
  const asked = Promise.race([
    stopAsked(),
    onHangUp(opened).then(() => "its terminal was closed"),
    starterGone.then(() => "what started it has ended"),
  ]);
  try {
    const running = await start(opened, listeners);
    logOf("service").info("stopping", { why: await asked });
    await stop(opened, listeners, running);
    logOf("service").info("stopped");
    // Whatever a step gave up must not keep the process.
    setTimeout(() => process.exit(0), LAST_MS).unref();
    return 0;
  } catch (error) {
    await listeners.stop(0);
    opened.close();
    throw error;
  }
}

/** Both listeners, and what answers on them. */
type Listeners = NonNullable<Awaited<ReturnType<typeof listenOnBoth>>>;

/** Listens on both addresses; undefined where one cannot be, which is said. */
async function listenOnBoth(config: Config) {
  const ports = { ingest: config.ingest.port, tower: config.tower.port };
  const listening: Listening[] = [];
  const startup = createStartupListeners({ config, clock: systemClock, ids: systemIds }, () => ports);
  const stopAll = (drainMs: number) => Promise.all(listening.map((listener) => listener.stop(drainMs)));
  const listenOn = (which: "ingest" | "tower") => {
    const listener = listen(startup[which], config[which].host, config[which].port);
    ports[which] = listener.port;
    listening.push(listener);
    return listener;
  };
  try {
    return { ports, startup, ingest: listenOn("ingest"), tower: listenOn("tower"), stop: stopAll };
  } catch (error) {
    await stopAll(0);
    const fault = await bindError(error, listening.length === 0 ? "INGEST" : "TOWER", config);
    if (fault === undefined) throw error;
    process.stderr.write(`tower: ${fault}\n`);
    return undefined;
  }
}

/** What is set and is weak, or changes nothing. */
export function settingWarnings(config: Config, environment: Environment): string[] {
  const { rawSignals, s3, trustedAuthHeader, trustedProxySecret } = config;
  const weak = [...config.assetTokens, ...config.assetTokensOfFile].filter(
    ({ token }) => token.length < SHORT_TOKEN,
  );
  const archive = s3 === undefined ? statSync(rawSignals, { throwIfNoEntry: false }) : undefined;
  return [
    ...weak.map(({ asset }) => `the token of ${asset} has fewer than ${SHORT_TOKEN} characters`),
    ...(trustedAuthHeader !== undefined && trustedProxySecret === undefined
      ? [
          "TRUSTED_AUTH_HEADER is believed as it comes: a proxy that forgets to set it lets its callers name themselves. Set TRUSTED_PROXY_SECRET",
        ]
      : []),
    ...misspelledSettings(environment).map(
      ({ name, nearest }) => `${name} is not a setting and changes nothing; ${nearest} is one`,
    ),
    ...plainHttpWarnings(config),
    ...(archive !== undefined && (archive.mode & 0o077) !== 0
      ? [
          `others on this machine may look into the archive at ${rawSignals}: close it by chmod 700 ${rawSignals}`,
        ]
      : []),
  ];
}

/** The service answers, works its schedule, and says where it is reached. Returns what runs beside the listeners. */
async function start(opened: Opened, listeners: Listeners) {
  const { deps } = opened;
  const { config } = deps;
  const ports = () => listeners.ports;
  // The pages take a fifth of a start to load: the ingest does not wait for them.
  const pages = onceLoaded(async () => (await import("./tower_app.ts")).createTower(deps, ports));
  listeners.startup.become({
    ingest: createIngest(deps, ports),
    tower: onceThere(deps, ports, pages),
  });
  const control = serveControl(deps);
  const checkpointer = startCheckpointer(deps.store, (look) => deps.machine.noteCheckpoint(look));
  deps.machine.start(async () => {
    await Promise.all([listeners.ingest, listeners.tower].map((listener) => listener.renew(RENEW_GRACE_MS)));
  });
  await beat(deps.store, deps.writer, deps.clock.now());
  const reached = (which: "ingest" | "tower") =>
    reachedAt(listeners[which], { published: config[which].publicUrl, container: config.container });
  const [ingest, tower] = [reached("ingest"), reached("tower")];
  // Before the schedule begins: its job would make one at the same moment, and both would fail.
  const link = hasOperator(deps.store.db)
    ? undefined
    : await orLater("the set-up link", () => renewSetupLink(deps, tower.first));
  const stopSchedule = startSchedule(deps, [...JOBS, setUpJob(tower)]);
  await orLater("judging freshness", () => judgeFreshness(deps));
  deps.follower.kick();
  await orLater("loading the pages", async () => void (await pages()));
  await orLater("loading the commands", async () => void (await import("./commands.ts")));
  // Not with the first mail: an update may have replaced its files by then.
  await orLater("loading the mailer", async () => void (await import("nodemailer")));
  await orLater("loading what counts the figures", deps.metrics.load);
  announce(opened, { ingest, tower, link });
  // What a start leaves is garbage, and nothing would collect it while the service is idle.
  Bun.gc(true);
  return { control, checkpointer, stopSchedule };
}

/** Requests and jobs under way come to their end, and what is in memory is written down. */
async function stop(opened: Opened, listeners: Listeners, running: Awaited<ReturnType<typeof start>>) {
  const { deps } = opened;
  let jobsEnded: Promise<void> | undefined;
  await stopInSteps([
    {
      name: "schedule",
      withinMs: STEP_MS,
      run: () => {
        running.stopSchedule();
        // Told now, waited for once no request is under way: both take their time side by side.
        jobsEnded = deps.jobs.stop(DRAIN_MS);
        deps.live.stop();
      },
    },
    { name: "requests", withinMs: DRAIN_MS + STEP_MS, run: () => listeners.stop(DRAIN_MS) },
    { name: "jobs", withinMs: DRAIN_MS + STEP_MS, run: () => jobsEnded },
    { name: "watch", withinMs: STEP_MS, run: () => deps.machine.stop() },
    { name: "rules", withinMs: STEP_MS, run: () => deps.follower.stop() },
    {
      name: "refused reports",
      withinMs: STEP_MS,
      run: () => flushRefusals(deps.writer, deps.refusals, deps.config.workspace),
    },
    { name: "uses of tokens", withinMs: STEP_MS, run: () => flushTokenUses(deps) },
    { name: "control socket", withinMs: STEP_MS, run: () => running.control?.stop() },
    { name: "checkpoints", withinMs: 2 * STEP_MS, run: () => running.checkpointer.stop(STEP_MS) },
    { name: "database", withinMs: STEP_MS, run: () => opened.close() },
  ]);
}

/** What a setting or the data folder does not let start, in one line; any other error is thrown onward. */
function refused(error: unknown): number {
  if (!(error instanceof ConfigError || error instanceof DataFolderFault)) throw error;
  process.stderr.write(`tower: ${error.message}\n`);
  return error instanceof ConfigError ? 2 : 1;
}

/**
 * What does not come off at a start comes off later: a job, or whoever needs it next, tries again. A service that listens is worth more
 * than a step of its start; without a file descriptor left, say, every one of them fails.
 */
async function orLater<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    logOf("service").error("put off until it can be done", { what, reason: storageFault(error) });
    return undefined;
  }
}

/** Resolves with the first SIGTERM or SIGINT; a process manager may send both, and a group kill sends one twice. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  });
}

/**
 * SIGHUP means two things: the file of tokens is to be read again, or the terminal that the service runs in was closed, which ends it
 * as it ends every program. Resolves with the second. Under `nohup` nothing of it is a terminal.
 */
function onHangUp({ deps }: Opened): Promise<void> {
  const usedTerminal = usesTerminal();
  const { assetTokensFile, assetTokens } = deps.config;
  const reread = async (path: string) => {
    const fromFile = readAssetTokensFile(path, assetTokens);
    const by = { actor: "service", now: deps.clock.now() };
    const assets = fromFile.map((pair) => pair.asset);
    await deps.writer.write((tx) => {
      ensureAssets(tx, assets, by);
    });
    deps.siteTokens.setNamed([...assetTokens, ...fromFile]);
    logOf("tokens").info("ASSET_TOKENS_FILE was read again", { pairs: fromFile.length });
  };
  return new Promise((resolve) => {
    process.on("SIGHUP", () => {
      if (usedTerminal && !hasTerminal()) resolve();
      else if (assetTokensFile !== undefined) {
        reread(assetTokensFile).catch((error) => {
          logOf("tokens").error("ASSET_TOKENS_FILE was not taken; the tokens before stay", {
            reason: String(error),
          });
        });
      }
    });
  });
}

/** While nobody can sign in, a set-up link that expired unused is made anew and printed. */
function setUpJob(tower: Reached): Job {
  return {
    name: "setup-link",
    at: "45 * * * * *",
    madeUp: false,
    run: async (deps) => {
      const link = await keepSetupLink(deps, tower.first);
      if (link !== undefined) process.stdout.write(setUpLines(link, tower));
    },
  };
}

function announce(
  { deps: { config }, isNew }: Opened,
  {
    ingest,
    tower,
    link,
  }: { readonly ingest: Reached; readonly tower: Reached; readonly link: string | undefined },
): void {
  process.stdout.write(
    `${addressLines("Tower", tower)}${addressLines("Ingest", ingest)}${dataLines(config.dataDir, isNew)}`,
  );
  if (link !== undefined) process.stdout.write(setUpLines(link, tower));
  // A container is stopped from outside.
  if (config.container === undefined) {
    process.stdout.write(stopLine({ pid: process.pid, terminal: usesTerminal() }));
  }
}

// What a start prints: where each listener is reached, from here and from other computers, where the data is, and how
// it ends.

/** The most addresses printed for other computers: a machine may have dozens, and the first are the likely ones. */
const MOST = 3;

type Reached = ReturnType<typeof reachedAt>;

/**
 * Where a listener is reached: `first` at the published address, or this machine's own; `elsewhere` from other computers, where none is
 * published and the listener is bound to all of the machine's addresses. What a container calls its addresses no other computer reaches.
 */
export function reachedAt(
  listening: { readonly host: string; readonly port: number; readonly url: string },
  { published, container }: { published: string | undefined; container: string | undefined },
  addresses: (host: string) => readonly string[] = addressesBoundTo,
) {
  const { host, port, url } = listening;
  if (published !== undefined) return { first: published, elsewhere: [] };
  if (!isWildcard(host) || container !== undefined) return { first: url, elsewhere: [] };
  const elsewhere = addresses(host).slice(0, MOST);
  return { first: url, elsewhere: elsewhere.map((address) => `http://${bracketed(address)}:${port}`) };
}

/** The lines of one listener; the first holds nothing but its address. */
export function addressLines(name: string, { first, elsewhere }: Reached): string {
  const others = elsewhere.map((url) => `        ${url}  (from other computers)\n`);
  return `${name.padEnd(8)}${first}\n${others.join("")}`;
}

/** The lines of a set-up link, which was made for the first address. */
export function setUpLines(link: string, { first, elsewhere }: Reached): string {
  const path = link.slice(first.length);
  const links = { first: link, elsewhere: elsewhere.map((url) => `${url}${path}`) };
  return `${addressLines("Set up", links)}        (works once, for 30 minutes)\n`;
}

/** The lines of the data folder. One that was named by mistake would be taken for lost data, so a new one is called so. */
export function dataLines(dataDir: string, isNew: boolean): string {
  return `${"Data".padEnd(8)}${dataDir}\n${isNew ? "        (new: there was no data in it)\n" : ""}`;
}

/** How a service is stopped that nobody else manages. */
export function stopLine({ pid, terminal }: { readonly pid: number; readonly terminal: boolean }): string {
  return `${"Stop".padEnd(8)}${terminal ? "Ctrl-C" : `kill ${pid}`}\n`;
}

/**
 * One line for an address that cannot be listened on; undefined for any other error. Whether a name means an address is asked first: for
 * one that does not, the runtime's error carries the number of whatever failed before it.
 */
export async function bindError(
  error: unknown,
  which: "INGEST" | "TOWER",
  config: Pick<Config, "ingest" | "tower">,
): Promise<string | undefined> {
  const { host, port } = which === "INGEST" ? config.ingest : config.tower;
  const otherHost = `for example ${which}_HOST=127.0.0.1`;
  if (!(await isKnown(host))) {
    return `${which}_HOST ${host} is a name that this computer finds no address for, ${otherHost}`;
  }
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    // Two addresses, of which one takes in the other.
    if (which === "TOWER" && port === config.ingest.port) return bothPorts(port);
    const free = port > 65_000 ? port - 100 : port + 100;
    return `${which}_PORT ${port} is taken on ${host} by another program, perhaps by a Tower that runs already: stop that one, or set another port, for example ${which}_PORT=${free}`;
  }
  if (code === "EACCES")
    return `${which}_PORT ${port} may not be used by this user, for example ${which}_PORT=4611`;
  const isElsewhere = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL";
  return isElsewhere || !isAddress(host)
    ? `${which}_HOST ${host} is not an address of this computer, ${otherHost}`
    : undefined;
}

async function isKnown(host: string): Promise<boolean> {
  if (isAddress(host)) return true;
  try {
    await lookup(unbracketed(host));
    return true;
  } catch {
    return false;
  }
}

// What answers while the service starts. The listeners are there at once, however large the database is that is looked
// through first: until the data is open the service lives and is not ready, and every other request waits a moment and
// is then asked to come again. After that the Tower answers, whose pages are loaded last.

/** What answers on both listeners. */
type Handlers = Readonly<Record<"ingest" | "tower", HttpHandler>>;

/** How long a request waits for the service, in milliseconds. */
const PATIENCE_MS = 2_000;
const RETRY_AFTER = { "retry-after": "2" } as const;
const AT_ONCE = new Map([
  ["/healthz", () => Response.json({ status: "ok" })],
  [
    "/readyz",
    () =>
      Response.json(
        { status: "not ready", reason: "the data is being opened" },
        { status: 503, headers: RETRY_AFTER },
      ),
  ],
]);

/** What is loaded with the first request. Where that fails, the request does, with its id and its line in the log; the next tries again. */
export function onceThere(deps: EdgeDeps, ports: () => Ports, load: () => Promise<HttpHandler>): HttpHandler {
  const failed = (error: unknown) => {
    const route = () => {
      throw error;
    };
    return edgeOf(deps, ports, { ...towerEdge(deps), route });
  };
  return async (request, addressOf) => (await load().catch(failed))(request, addressOf);
}

export function createStartupListeners(
  deps: EdgeDeps,
  ports: () => Ports,
  patienceMs = PATIENCE_MS,
): Handlers & { readonly become: (service: Handlers) => void } {
  const come = Promise.withResolvers<void>();
  const atOnce = (request: Request) => (request.method === "GET" ? AT_ONCE.get(pathOf(request)) : undefined);
  const notYet = () => {
    throw new Problem("storage-unavailable", "Nothing was stored. Try again shortly.", {
      headers: RETRY_AFTER,
    });
  };
  const before = {
    ingest: edgeOf(deps, ports, {
      listener: "ingest",
      refuseBrowsers: true,
      headers: INGEST_HEADERS,
      route: notYet,
    }),
    tower: edgeOf(deps, ports, {
      ...towerEdge(deps),
      route: (request) => {
        const answer = atOnce(request);
        return answer === undefined ? notYet() : compressed(request, answer());
      },
    }),
  };
  let service: Handlers | undefined;
  const edgeFor =
    (listener: "ingest" | "tower"): HttpHandler =>
    async (request, addressOf) => {
      if (service === undefined && (listener === "ingest" || atOnce(request) === undefined)) {
        await Promise.race([come.promise, wait(patienceMs, undefined, { ref: false })]);
      }
      return (service ?? before)[listener](request, addressOf);
    };
  return {
    ingest: edgeFor("ingest"),
    tower: edgeFor("tower"),
    /** The service is there: everything from now on, and everything that waits, is for it to answer. */
    become: (now) => {
      service = now;
      come.resolve();
    },
  };
}
