/** The reports of one property, one after another: what one of them shows of the property spares questions about the others. */

import type { AssetId } from "../base/contract.ts";
import { PlainError } from "../base/text.ts";
import { isPaused } from "../health/pauses.ts";
import { askRegistered } from "../providers/analytics_properties.ts";
import { type Fault, isLimit, needsPerson, nextRetryAt, type Outcome } from "../providers/faults.ts";
import { askReport } from "../providers/providers.ts";
import {
  type Answered,
  type AskGround,
  askInTurn,
  type CircuitBreaker,
  type CredentialQueue,
  type InTurn,
  type SkipReason,
} from "../providers/queued_request.ts";
import type { RawReport, ReportAsked } from "../providers/report_families.ts";
import { askLastFinal } from "../providers/search_console.ts";
import { findConnectionHold, limitedUntil } from "../signals/attempts.ts";
import { askerOf, type Question } from "../signals/pull.ts";
import type { Constants } from "../sites/constants_schema.ts";
import { archiveConstants } from "../sites/constants_store.ts";
import type { RunHandle } from "../store/job_runs.ts";
import type { Db } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import {
  archiveLimitedUntil,
  DATES,
  knownFamily,
  type PlannedReport,
  type PropertyPlan,
  planProperty,
  providerDay,
} from "./plan.ts";
import {
  type Attempted,
  type AttemptResult,
  noteSkip,
  recordAttempted,
  refusedBy,
  targetOf,
} from "./record_attempt.ts";
import { archiveCapability } from "./report_health.ts";
import { type ReportStoreDeps, storeReport } from "./store_report.ts";

// What a run of the archive shares among its properties.

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
  readonly storing: ReportStoreDeps;
  readonly constants: () => Constants;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The first of the runs that this one takes up. */
  readonly resumes: number | undefined;
  /** Whether there is so little room that nothing more is to be stored in. */
  readonly isLow: () => Promise<boolean>;
  /** Says that one more of the reports that were planned is done with. */
  readonly finished: (question: Question, report: PlannedReport, outcome: string) => void;
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

// One question of the archive in its turn: asked where nothing holds it back.

/** Throws what asking and recording throw, and `DiskNearlyFull`. */
const inTurn = <T, R>(
  ground: RunGround,
  question: Question,
  of: Pick<InTurn<T, R>, "ask" | "record" | "isRecordedLater">,
) =>
  askInTurn(ground, question, {
    ...of,
    priority: "archive",
    signal: ground.handle.signal,
    breaker: ground.breaker,
    hold: async (now) => {
      const skip = whyNot(ground, question, now);
      if (skip === undefined && (await ground.isLow())) throw new DiskNearlyFull();
      return skip;
    },
  });

function whyNot({ breaker, db, handle }: RunGround, question: Question, now: number): SkipReason | undefined {
  if (!question.isCurrent(db)) return "skipped";
  const { asset, provider } = question;
  if (isPaused(db, { capability: archiveCapability(provider), asset }, now)) return "paused";
  if (breaker.isOpen(question)) return "given_up";
  const isHeld =
    findConnectionHold(db, question, now, askerOf(handle)) !== undefined ||
    limitedUntil(db, question, now) !== undefined ||
    archiveLimitedUntil(db, question, now) !== undefined;
  return isHeld ? "held" : undefined;
}

/** What refuses all of a property, whichever report is asked for. */
const OF_PROPERTY: ReadonlySet<Fault["code"]> = new Set([
  "property_denied",
  "property_malformed",
  "not_a_site",
]);

/** The family that works only where its parameters are registered, and what is said where they are not. */
const JS_ERRORS = "js-errors";
const UNREGISTERED = "parameter_unregistered";

const SOURCE_LAG: AttemptResult = {
  outcome: "source_lag",
  complete: false,
  notes: [],
  fault: undefined,
  met: undefined,
  object: undefined,
  insight: undefined,
};

export class PropertyRun {
  readonly #ground: RunGround;
  readonly #planned: PlannedProperty;
  #reports: PlannedReport[];
  #timeZone: string | undefined;
  /** Why the rest of the property is left. */
  #skip: SkipReason | undefined;
  /** What refuses all of the property, or all of a family. */
  #refusedBy: Fault | undefined;
  readonly #refusedFamilies = new Map<string, Fault>();
  readonly #leftOut = new Set<string>();
  #isRegisteredKnown = false;
  #lastFinal: { readonly day: number } | undefined;
  #isReplanned = false;
  /** Reports that are done with. */
  readonly #done = new Set<string>();
  /** Requests that were no report's own: those for what the property has. The next row of it has them. */
  #requests = 0;

  constructor(ground: RunGround, planned: PlannedProperty) {
    this.#ground = ground;
    this.#planned = planned;
    this.#reports = [...planned.plan.reports];
    this.#timeZone = planned.timeZone;
  }

  /** Goes through all of them. Throws where nothing can be stored. */
  async go(): Promise<void> {
    for (let report = this.#reports.shift(); report !== undefined; report = this.#reports.shift()) {
      const outcome = await this.#one(report);
      if (outcome === undefined) continue;
      this.#done.add(keyOf(report));
      this.#ground.finished(this.#planned.question, report, outcome);
    }
  }

  /** What a report came to; undefined where others are asked for in its place. */
  async #one(report: PlannedReport): Promise<string | undefined> {
    const { family, to } = report;
    if (this.#ground.handle.signal.aborted) this.#skip ??= "given_up";
    if (this.#skip !== undefined) return this.#skip;
    const refused = this.#refusedBy ?? this.#refusedFamilies.get(family.name);
    // Of its date nothing came: it has a row, so that it is asked for again once the cause is gone.
    if (refused !== undefined) return this.#record(report, { ...refusedBy(refused), met: undefined });
    if (family.name === JS_ERRORS) await this.#checkRegistered(report);
    if (this.#skip !== undefined) return this.#skip;
    if (this.#leftOut.has(family.name)) return "skipped";
    if (family.provider === "search-console") {
      const outcome = await this.#findLastFinal(report);
      if (outcome !== undefined) return outcome;
      if (this.#lastFinal !== undefined && to > this.#lastFinal.day) return this.#record(report, SOURCE_LAG);
    }
    const { reader, spool } = this.#ground.storing;
    const turn = await inTurn(this.#ground, this.#planned.question, {
      ask: (client) =>
        askReport(client, this.#askedFor(report), { spool, open: (page) => reader.page(page) }),
      isRecordedLater: (outcome) => !holdsOthers(outcome),
      record: (answered) =>
        answered.outcome.ok
          ? this.#store(report, answered, answered.outcome.value)
          : this.#refuse(report, answered, answered.outcome.fault),
    });
    return "skip" in turn ? this.#skipRest(turn.skip) : turn.recorded;
  }

  #skipRest(left: SkipReason): SkipReason {
    this.#skip = left;
    return left;
  }

  #askedFor({ family, from, to }: PlannedReport): ReportAsked {
    const { asset, property } = this.#planned.question;
    const constants = archiveConstants(this.#ground.constants(), asset as AssetId);
    return {
      family,
      property,
      from,
      to,
      timeZone: this.#timeZone,
      bounds: { rows: constants.max_rows, bytes: constants.max_bytes },
      errorEvents: {
        events: constants.js_error_events,
        message: constants.js_error_message,
        source: constants.js_error_source,
      },
    };
  }

  #attempted(
    report: PlannedReport,
    { startedAt, finishedAt, requests }: Pick<Attempted, "startedAt" | "finishedAt" | "requests">,
  ): Attempted {
    const run = this.#ground.handle.id;
    const { question } = this.#planned;
    const all = requests + this.#requests;
    this.#requests = 0;
    return { run, question, report, startedAt, finishedAt, requests: all };
  }

  /** Records what came of a report; where it was not asked for, now. */
  async #record(
    report: PlannedReport,
    came: AttemptResult,
    asked: Pick<Attempted, "startedAt" | "finishedAt" | "requests"> = this.#notAsked(),
  ): Promise<string> {
    return this.#noted(await recordAttempted(this.#ground.storing, this.#attempted(report, asked), came));
  }

  #notAsked() {
    const now = this.#ground.clock.now();
    return { startedAt: now, finishedAt: now, requests: 0 };
  }

  #noted({ outcome, isMonitored }: { readonly outcome: string; readonly isMonitored: boolean }): string {
    if (!isMonitored) this.#ground.handle.unmonitored();
    return outcome;
  }

  async #refuse(report: PlannedReport, answered: Answered<unknown>, fault: Fault): Promise<string> {
    const outcome = await this.#record(report, refusedBy(fault), answered);
    this.#applyFault(fault, report);
    return outcome;
  }

  async #store(
    report: PlannedReport,
    answered: Answered<unknown>,
    raw: RawReport,
  ): Promise<string | undefined> {
    const attempted = this.#attempted(report, answered);
    const stored = await storeReport(this.#ground.storing, attempted, raw);
    const { timeZone } = stored;
    if (stored.outcome === "early") {
      this.#requests = attempted.requests;
      if (this.#isReplanned) return "held";
      this.#replan(timeZone);
      this.#ground.replanned(-1);
      return undefined;
    }
    if (raw.cut?.by === "fault") this.#applyFault(raw.cut.fault, report);
    this.#done.add(keyOf(report));
    if (timeZone !== undefined && timeZone !== this.#timeZone) this.#replan(timeZone);
    return this.#noted(stored);
  }

  /** What a fault says of the reports that are still to come. */
  #applyFault(fault: Fault, { family }: PlannedReport): void {
    const isWaiting = nextRetryAt(fault, this.#ground.clock.now()) !== null;
    if (
      isLimit(fault.category) ||
      fault.scope === "credential" ||
      (isWaiting && !needsPerson(fault.category))
    ) {
      this.#skip = "held";
    } else if (fault.code === "analytics_custom_dimension_unregistered") {
      // Questions that are refused again and again lock a property.
      this.#leftOut.add(family.name);
    } else if (OF_PROPERTY.has(fault.code)) {
      this.#refusedBy = fault;
    } else if (needsPerson(fault.category)) {
      this.#refusedFamilies.set(family.name, fault);
    }
  }

  /** Whether the parameters of `js-errors` are registered; where that cannot be asked, the report says it itself. */
  async #checkRegistered(report: PlannedReport): Promise<void> {
    if (this.#isRegisteredKnown) return;
    this.#isRegisteredKnown = true;
    const { question } = this.#planned;
    const turn = await inTurn(this.#ground, question, {
      ask: (client) => askRegistered(client, question.property),
      record: async (answered) => answered,
    });
    if ("skip" in turn) return void this.#skipRest(turn.skip);
    const { outcome, requests } = turn.recorded;
    this.#requests += requests;
    if (!outcome.ok) {
      if (isLimit(outcome.fault.category)) this.#skip = "held";
      return;
    }
    const { message, source } = this.#askedFor(report).errorEvents;
    if ([message, source].every((name) => outcome.value.includes(name))) return;
    this.#leftOut.add(JS_ERRORS);
    const now = this.#ground.clock.now();
    await this.#ground.writer.write((tx) => noteSkip(tx, targetOf(question, report), UNREGISTERED, now), {
      lowPriority: true,
      isRepeatable: true,
    });
  }

  /** Which day is the last one that is final, once; what came of the report where that cannot be known. */
  async #findLastFinal(report: PlannedReport): Promise<string | undefined> {
    if (this.#lastFinal !== undefined) return undefined;
    const { question } = this.#planned;
    const { clock } = this.#ground;
    const turn = await inTurn(this.#ground, question, {
      ask: (client) => askLastFinal(client, question.property, clock.now()),
      record: async (answered) => {
        const { outcome, requests } = answered;
        if (!outcome.ok) return this.#refuse(report, answered, outcome.fault);
        this.#requests += requests;
        // Of a site that nobody saw for long there is no such day: by then the oldest date that every run asks for is final.
        const today = providerDay("search-console", clock.now(), undefined);
        this.#lastFinal = { day: outcome.value ?? today - DATES };
        return undefined;
      },
    });
    return "skip" in turn ? this.#skipRest(turn.skip) : turn.recorded;
  }

  /** Plans what is left by another calendar than was known. */
  #replan(timeZone: string | undefined): void {
    this.#timeZone = timeZone;
    if (this.#isReplanned) return;
    this.#isReplanned = true;
    const { clock, db, resumes, startedAt } = this.#ground;
    const { question } = this.#planned;
    const now = clock.now();
    const today = providerDay(question.provider, now, timeZone);
    const { reports } = planProperty(question.provider, { now, startedAt, timeZone }, (family) =>
      knownFamily(db, question, family, { today, resumes }),
    );
    const left = reports.filter((report) => !this.#done.has(keyOf(report)));
    this.#ground.replanned(left.length - this.#reports.length);
    this.#reports = left;
  }
}

/** Whether it may hold back what else is asked of the account: then it is stored within its turn. */
const holdsOthers = (outcome: Outcome<RawReport>): boolean =>
  !outcome.ok || (outcome.value.cut?.by === "fault" && outcome.value.cut.fault.scope === "credential");

const keyOf = ({ family, to }: PlannedReport) => `${family.name} ${to}`;
