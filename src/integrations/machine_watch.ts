/**
 * Watches what the service stands on: room on the disk, the size of the database's log, who holds its locks, and file
 * descriptors. What lasts becomes a flag on the service's own asset; what hurts now becomes a line on every page, a line in the
 * log and a figure in `/metrics`.
 */

import { statSync } from "node:fs";
import type { Clock } from "../base/base.ts";
import { logOf } from "../base/log.ts";
import type { Holder, Machine, Room } from "../base/machine.ts";
import { isBusy, isFull, storageFault } from "../base/storage_fault.ts";
import { nounFor } from "../base/text.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { holdOpen, release } from "../flags/reconcile.ts";
import { DISK_SPACE, RULES, raisedTitle, WAL_SIZE } from "../sites/rule_catalogue.ts";
import { type CheckpointLook, walBytes } from "../store/checkpoint.ts";
import type { Core } from "../store/core.ts";
import { putServiceState } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

// The limits of the machine that the service runs on: file descriptors, the disk, the log of the database. Pure.

/** Descriptors kept free, so that files and sockets can still be opened: a tenth, at most 256, at least 16. */
export function reserveOf(limit: number): number {
  return Math.max(16, Math.min(256, Math.floor(limit / 10)));
}

/** Whether so many open descriptors reach into the reserve. */
export function isExhausted({ open, limit }: { readonly open: number; readonly limit: number }): boolean {
  return open > limit - reserveOf(limit);
}

/** disk-space: the disk of the data folder is nearly full. */

/** Less than this is low on any disk, in bytes. */
const LOW_BYTES = 256 * 1024 * 1024;
/** A smaller share than this is low, too. */
const LOW_SHARE = 0.05;
/** How far above the limit the room must be to count as found again: a file that comes and goes is no news each time. */
const RECOVERED = 1.1;

/** Room below this is all one, in bytes. */
const LEAST_TOLD = 1024 * 1024;

/** A disk that is nearly full. Message and inputs stay the same until half of the room is gone, or twice of it has come. */
type LowDisk = NonNullable<ReturnType<typeof lowDiskOf>>;

/** Judges the room on a disk; undefined while there is enough. `wasLow` is whether it was low before. */
export function lowDiskOf(
  { free, total }: { readonly free: number; readonly total: number },
  wasLow: boolean,
) {
  const limit = Math.max(LOW_BYTES, total * LOW_SHARE);
  if (free >= (wasLow ? limit * RECOVERED : limit)) return undefined;
  const below = 2 ** Math.ceil(Math.log2(Math.max(free, LEAST_TOLD - 1) + 1));
  const inputs = { free_below: below, total, thresholds: { bytes: LOW_BYTES, share: LOW_SHARE } };
  return { message: raisedTitle(DISK_SPACE, "", inputs, 0), inputs };
}

/** wal-size: the log grows because something keeps an old state of the database open. */

/** A log that is larger than this is alarming, in bytes; one that was larger is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

/** A log that is too large. Message and inputs stay the same until it has doubled. */
type LargeLog = NonNullable<ReturnType<typeof largeLogOf>>;

/** Judges the size of the log; undefined while it is as it should be. `readers` are who reads the database, in words. */
export function largeLogOf(bytes: number, readers: readonly string[]) {
  if (bytes <= LOG_BYTES) return undefined;
  const above = LOG_BYTES * 2 ** Math.floor(Math.log2((bytes - 1) / LOG_BYTES));
  const inputs = { above, held_by: readers, thresholds: { bytes: LOG_BYTES } };
  return { message: raisedTitle(WAL_SIZE, "", inputs, 0), inputs };
}

/** What is to be done about a log that is too large. */
export function logAdvice(readers: readonly string[]): string {
  if (readers.length === 0) {
    return "No other process is seen to read the database; a backup under way is one reason, a disk that refuses is another.";
  }
  const keep = nounFor(readers.length, "keeps", "keep");
  return `${readers.join(", ")} ${keep} an old state of the database open; end that and the log shrinks.`;
}

/**
 * Whether storage takes writes. It stops with the first commit that storage refuses, and starts again with a probe of its own: a
 * small write, tried every second, that is stored while there is room for reports as well.
 */

/** Room without which a full disk still counts as full, in bytes: a small write may fit where a report does not. */
const LEAST_ROOM = 1024 * 1024;

class StorageState {
  readonly #deps: { readonly writer: Writer; readonly clock: Clock };
  #refusal: { readonly fault: string; readonly full: boolean; readonly locked: boolean } | undefined;
  #room: Room | undefined;

  constructor(deps: { readonly writer: Writer; readonly clock: Clock }) {
    this.#deps = deps;
    deps.writer.onRefused((cause) => this.#refused(cause));
  }

  /** Why writes are refused, in words that end a sentence; undefined while they are taken. */
  get fault(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal.fault;
    return this.#hasNoRoom() ? "the disk is full" : undefined;
  }

  /** Whether it is for want of room that nothing can be stored. */
  get isFull(): boolean {
    return this.#refusal?.full === true || this.#hasNoRoom();
  }

  /** Whether writes are refused because another process holds a lock. */
  get isLocked(): boolean {
    return this.#refusal?.locked === true;
  }

  /** Looks whether storage takes writes again. */
  async look(room: Room | undefined): Promise<void> {
    this.#room = room;
    const refusal = this.#refusal;
    if (refusal === undefined || (refusal.full && this.#hasNoRoom())) return;
    const { writer, clock } = this.#deps;
    try {
      const now = clock.now();
      await writer.write((tx) => putServiceState(tx, "service.storage_probed_at", String(now), now));
    } catch {
      // Told to `#refused` by the writer.
      return;
    }
    this.#refusal = undefined;
    logOf("storage").info("storage takes writes again");
  }

  #hasNoRoom(): boolean {
    return this.#room !== undefined && this.#room.free < LEAST_ROOM;
  }

  #refused(cause: unknown): void {
    const fault = storageFault(cause);
    if (this.#refusal?.fault !== fault) logOf("storage").error("storage refuses writes", { reason: fault });
    this.#refusal = { fault, full: isFull(cause), locked: isBusy(cause) };
  }
}

/** What the watch needs. */
interface WatchDeps extends Core {
  readonly machine: Machine;
}

const PERIOD_MS = 1_000;
/** The same line is not logged again within this time, in milliseconds. */
const REPEAT_MS = 60_000;
/** A write that waits longer than this for a foreign lock is told, in milliseconds. */
const LOCK_WAIT_MS = 1_000;
/** Looks in a row that find the log too large before it is told: a burst of reports passes by itself. */
const LARGE_LOOKS = 3;
/** Least time between two renewals of the listeners, in milliseconds. */
const RENEW_MS = 2_000;

/** Bytes of the log's index that SQLite locks for writing, and those for reading. */
const WRITE_LOCK = [120, 120] as const;
const READ_LOCKS = [123, 127] as const;

type Condition = LowDisk | LargeLog;

export class MachineWatch {
  readonly storage: StorageState;
  readonly #deps: WatchDeps;
  readonly #log = logOf("machine");
  readonly #loggedAt = new Map<string, number>();
  #room: Room | undefined;
  #disk: LowDisk | undefined;
  #grown: LargeLog | undefined;
  #largeLooks = 0;
  #lockedBy: string | undefined;
  #checkpointFault: string | undefined;
  #checkpointFailures = 0;
  #short = false;
  #shortages = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.storage = new StorageState(deps);
  }

  /** Looks now and every second. `renew` makes room when descriptors run out. */
  start(renew: () => Promise<void>): void {
    const look = () => {
      this.#looking ??= this.look(renew)
        .catch((error) => this.#say("look", "looking at the machine failed", { reason: String(error) }))
        .finally(() => {
          this.#looking = undefined;
        });
    };
    look();
    this.#timer = setInterval(look, PERIOD_MS);
  }

  /** Stops looking. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Why the service should get no requests, in words; undefined while it may. */
  unready(): string | undefined {
    const fault = this.#fault();
    if (fault !== undefined) return `writes are refused: ${fault}`;
    return this.#lockedBy === undefined ? undefined : `writes wait: ${this.#lockedBy}`;
  }

  /** Why writes are refused, with the name of who keeps the lock where it is known. */
  #fault(): string | undefined {
    const { fault } = this.storage;
    return fault === undefined ? undefined : (this.#lockedBy ?? fault);
  }

  /** Whether the disk of a path is nearly full now: what can wait is not stored then. */
  async isLow(path: string): Promise<boolean> {
    const room = await this.#deps.machine.room(path);
    return room !== undefined && lowDiskOf(room, this.#disk !== undefined) !== undefined;
  }

  /** What an operator must know now, one sentence or two each. */
  warnings(): string[] {
    const fault = this.#fault();
    const refusing =
      fault === undefined
        ? undefined
        : `Nothing can be stored now: ${fault}. Reports are refused, and their senders told to try again.`;
    const locked =
      this.#lockedBy === undefined || fault !== undefined ? undefined : `Writes wait: ${this.#lockedBy}.`;
    const moving =
      this.#checkpointFault === undefined
        ? undefined
        : `The database's log cannot be moved into its file (${this.#checkpointFault}); it is tried again and again.`;
    const short = this.#short
      ? "File descriptors are running out: connections were closed to make room."
      : undefined;
    const low = this.storage.isFull || this.#disk === undefined ? undefined : `${this.#disk.message}.`;
    const grown =
      this.#grown === undefined
        ? undefined
        : `${this.#grown.message}. ${logAdvice(this.#grown.inputs.held_by)}`;
    return [refusing, locked, low, grown, moving, short].filter((line) => line !== undefined);
  }

  /** What the last look found; what is not known is absent. */
  figures() {
    return {
      diskFree: this.#room?.free,
      databaseBytes: statSync(this.#deps.store.path, { throwIfNoEntry: false })?.size,
      logBytes: walBytes(this.#deps.store.path),
      refusing: this.storage.fault !== undefined,
      lockWaitSeconds: this.#deps.writer.blockedMs / 1_000,
      checkpointFailures: this.#checkpointFailures,
      descriptorShortages: this.#shortages,
    };
  }

  /** Takes in what a checkpoint came to. */
  noteCheckpoint(look: CheckpointLook): void {
    this.#checkpointFault = look.ok ? undefined : look.fault;
    if (look.ok) return;
    this.#checkpointFailures++;
    this.#say("checkpoint", "a checkpoint failed and is tried again", { reason: look.fault });
  }

  /** Looks once. */
  async look(renew: () => Promise<void> = async () => undefined): Promise<void> {
    const { machine, config } = this.#deps;
    await this.#lookAtDescriptors(renew);
    this.#room = await machine.room(config.dataDir);
    await this.#lookAtLock();
    await this.storage.look(this.#room);
    await this.#lookAtDisk();
    await this.#lookAtLog();
  }

  async #lookAtDescriptors(renew: () => Promise<void>): Promise<void> {
    const descriptors = await this.#deps.machine.descriptors();
    this.#short = descriptors !== undefined && isExhausted(descriptors);
    if (descriptors === undefined || !this.#short) return;
    this.#shortages++;
    this.#say("descriptors", "file descriptors are running out; connections are closed to make room", {
      ...descriptors,
    });
    const now = performance.now();
    if (now - this.#renewedAt < RENEW_MS) return;
    this.#renewedAt = now;
    await renew();
  }

  async #lookAtLock(): Promise<void> {
    const { writer } = this.#deps;
    if (writer.blockedMs < LOCK_WAIT_MS) {
      // While writes are refused for the lock, its holder stays named.
      if (!this.storage.isLocked) this.#lockedBy = undefined;
      return;
    }
    const holders = await this.#holders(...WRITE_LOCK);
    const who = holders.length === 0 ? "a process that is not seen from here" : holders.join(", ");
    this.#lockedBy = `${who} keeps the database locked`;
    this.#say("lock", "writes wait for a lock that another process holds", { holder: who });
  }

  async #lookAtDisk(): Promise<void> {
    if (this.#room === undefined) return;
    this.#disk = lowDiskOf(this.#room, this.#disk !== undefined || this.#openFlag(DISK_SPACE) !== undefined);
    if (this.#disk !== undefined) {
      this.#say("disk", "the disk of the data folder is nearly full", { free_bytes: this.#room.free });
    }
    await this.#putFlag(DISK_SPACE, this.#disk, { free: this.#room.free, total: this.#room.total });
  }

  async #lookAtLog(): Promise<void> {
    const bytes = walBytes(this.#deps.store.path);
    this.#largeLooks = largeLogOf(bytes, []) === undefined ? 0 : this.#largeLooks + 1;
    this.#grown =
      this.#largeLooks < LARGE_LOOKS ? undefined : largeLogOf(bytes, await this.#holders(...READ_LOCKS));
    if (this.#grown !== undefined) {
      const held_by = this.#grown.inputs.held_by.join(", ");
      this.#say("log", "the database's log has grown too large", { bytes, held_by });
    }
    await this.#putFlag(WAL_SIZE, this.#grown, { bytes });
  }

  async #holders(first: number, last: number): Promise<string[]> {
    const { machine, store } = this.#deps;
    const holders = await machine.lockHolders(`${store.path}-shm`, first, last);
    return holders.map(wordsOf);
  }

  /** The message of the flag that a rule holds open; undefined where none is, or an operator resolved it. */
  #openFlag(rule: string): string | undefined {
    const { store, config } = this.#deps;
    return listOpenSubjects(store.db, rule, config.serviceAsset)[0]?.message;
  }

  /** Holds a rule's flag open while its condition lasts; writes only where something changed, and not while nothing can be stored. */
  async #putFlag(
    rule: typeof DISK_SPACE | typeof WAL_SIZE,
    condition: Condition | undefined,
    reading: Readonly<Record<string, number>>,
  ): Promise<void> {
    if (this.#openFlag(rule) === condition?.message || this.storage.fault !== undefined) return;
    const { writer, clock, ids, config } = this.#deps;
    const on = { rule, asset: config.serviceAsset, subject: "", now: clock.now() };
    await writer.write((tx) => {
      if (condition === undefined) return void release(tx, on);
      const { message, inputs } = condition;
      holdOpen(tx, {
        ...on,
        ...RULES[rule].raised,
        message,
        inputs: { ...inputs },
        reading,
        newId: ids.uuid,
      });
    });
  }

  #say(what: string, message: string, facts: Readonly<Record<string, unknown>>): void {
    const now = performance.now();
    if (now - (this.#loggedAt.get(what) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    this.#loggedAt.set(what, now);
    this.#log.error(message, { ...facts });
  }
}

function wordsOf({ pid, name }: Holder): string {
  return name === "" ? `process ${pid}` : `${name} (process ${pid})`;
}
