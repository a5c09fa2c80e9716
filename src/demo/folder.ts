/** The folder of the demo: its data, what the demo needs to know to go on, and the mark by which both are told from anybody's own. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { storageFault, takeDataLock } from "../db/mod.ts";
import { SAMPLE_MARK } from "../platform/config.ts";
import { type Ids, randomToken } from "../platform/ids.ts";
import { DemoFault } from "./fault.ts";
import { PORTFOLIO } from "./portfolio.ts";

/** What a demo goes on with when it is started again. */
export interface DemoState {
  /** Milliseconds since the epoch: the days of every story are told from this one. */
  readonly madeAt: number;
  /** Whether everything was filled in: a demo that was cut off before is begun anew. */
  isFilled: boolean;
  /** Whether the simulators are at other ports than the stored accounts name. */
  hasMoved: boolean;
  /** When the providers changed something of the past; 0 while they have not. */
  changedAt: number;
  /** Whether the archive has had its first reports. */
  isArchived: boolean;
  /** The newest day of which nightly reports were sent, as a day number. */
  sentUntil: number;
  readonly operator: { readonly name: string; readonly password: string };
  /** Tokens of the sites, by their ids. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The first of the simulators' ports, which the stored accounts name. */
  simulatorsPort: number;
  /** Key files of the accounts, which the simulators know again. */
  keyFiles: readonly string[];
  /** Ids of the stored credentials: of most sites, and of the one whose key is refused. */
  credentials: Readonly<Record<string, string>>;
}

export interface DemoFolder {
  readonly path: string;
  /** Where the service has its data. */
  readonly dataDir: string;
  /** Whether there was a demo in it. */
  readonly isNew: boolean;
  readonly state: DemoState;
  /** Writes the state down, whole or not at all. */
  keep(): void;
}

const STATE = "demo.json";
const SAMPLE_WORDS = "All sites and figures in this folder are invented: bun run demo made them.\n";
const TOKEN_BYTES = 24;
const PASSWORD_BYTES = 12;

/**
 * Opens the demo in a folder, or makes one where there is none; `fresh` takes the one before away. Throws `DemoFault` where the folder
 * holds anything that no demo has made.
 */
export function openDemoFolder(
  path: string,
  { fresh, now, ids }: { readonly fresh: boolean; readonly now: number; readonly ids: Ids },
): DemoFolder {
  const file = join(path, STATE);
  const names = namesIn(path);
  if (names.length > 0 && !names.includes(STATE)) {
    throw new DemoFault(
      `${path} holds something and is no demo: nothing was touched. Move it away, or name another folder: bun run demo --folder <path>`,
    );
  }
  refuseWhileItRuns(join(path, "data"));
  const known = names.length === 0 ? undefined : readState(file);
  if (known?.isFilled === true && !fresh) return folderOf(path, false, known);
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, "data"), { recursive: true, mode: 0o700 });
    writeFileSync(join(path, "data", SAMPLE_MARK), SAMPLE_WORDS);
  } catch (error) {
    throw new DemoFault(
      `${path} cannot be made (${storageFault(error)}). To put it elsewhere: bun run demo --folder <path>`,
    );
  }
  const folder = folderOf(path, true, newState(now, ids));
  folder.keep();
  return folder;
}

/** What lies in the folder; where a file has its place, that file. */
function namesIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory() ? readdirSync(path) : [path];
}

/** What a running service holds is neither taken away nor opened twice. */
function refuseWhileItRuns(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DemoFault(`a demo runs in ${dataDir} already: end it first`);
  lock.release();
}

function folderOf(path: string, isNew: boolean, state: DemoState): DemoFolder {
  const file = join(path, STATE);
  return {
    path,
    dataDir: join(path, "data"),
    isNew,
    state,
    keep: () => {
      writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function newState(madeAt: number, ids: Ids): DemoState {
  return {
    madeAt,
    isFilled: false,
    hasMoved: false,
    changedAt: 0,
    isArchived: false,
    sentUntil: 0,
    operator: { name: "demo", password: randomToken(ids, PASSWORD_BYTES) },
    tokens: Object.fromEntries(
      PORTFOLIO.filter(({ reports }) => reports !== undefined).map(({ id }) => [
        id,
        randomToken(ids, TOKEN_BYTES),
      ]),
    ),
    simulatorsPort: 0,
    keyFiles: [],
    credentials: {},
  };
}

/** What is there but cannot be read was cut off while it was made: the demo is begun anew. */
function readState(file: string): DemoState | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DemoState;
  } catch {
    return undefined;
  }
}
