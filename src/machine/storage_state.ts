/**
 * Whether storage takes writes. It stops with the first commit that storage refuses, and starts again with a probe of its own: a
 * small write, tried every second, that is stored while there is room for reports as well.
 */
import { isBusy, isFull, putServiceState, storageFault, type Writer } from "../db/mod.ts";
import type { Clock } from "../platform/clock.ts";
import { logOf } from "../platform/log.ts";
import type { Room } from "../platform/machine.ts";

/** Room without which a full disk still counts as full, in bytes: a small write may fit where a report does not. */
const LEAST_ROOM = 1024 * 1024;

export class StorageState {
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
