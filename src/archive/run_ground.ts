/** What a run of the archive shares among its properties. */
import type { Constants } from "../constants/mod.ts";
import type { Db, Writer } from "../db/mod.ts";
import type { RunHandle } from "../jobs/mod.ts";
import { PlainError } from "../lib/thrown.ts";
import type { AskGround, CircuitBreaker, CredentialQueue } from "../provider/ask_in_turn.ts";
import type { Question } from "../signals/mod.ts";
import type { BringDeps } from "./bring_report.ts";
import type { PlannedReport, PropertyPlan } from "./plan.ts";

/** A property with what is asked of it. */
export interface PlannedProperty {
  readonly question: Question;
  /** The property's time zone as far as it is known. */
  readonly timeZone: string | undefined;
  readonly plan: PropertyPlan;
}

export interface RunGround extends AskGround {
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
  readonly queue: CredentialQueue;
  readonly breaker: CircuitBreaker;
  readonly handle: RunHandle;
  readonly bring: BringDeps;
  readonly constants: () => Constants;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The first of the runs that this one takes up. */
  readonly resumes: number | undefined;
  /** Whether there is so little room that nothing more is to be brought in. */
  readonly isLow: () => Promise<boolean>;
  /** Says that one more of the reports that were planned is done with. */
  readonly told: (question: Question, report: PlannedReport, outcome: string) => void;
  /** Says that more reports, or fewer, are asked for than was planned. */
  readonly replanned: (more: number) => void;
}

/** The disk is nearly full: the archive is not taken further, and the next run takes it up. */
export class DiskNearlyFull extends PlainError {
  override readonly name = "DiskNearlyFull";

  constructor() {
    super("there is little room left on the disk of the data folder, or of the archive");
  }
}
