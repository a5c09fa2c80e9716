/** The registry behind `/metrics`: heavy to load, so it is loaded when the service is up (`metrics.ts`). */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** For these the runtime walks its whole heap: 5 ms at 1,000 sites, and every other request waits. */
const DEAR = ["total", "used", "available"].map((which) => `nodejs_heap_space_size_${which}_bytes`);

/** What a look at the machine found; what is not known is absent. */
export interface MachineReadings {
  readonly diskFree: number | undefined;
  readonly refusing: boolean;
  readonly lockWaitSeconds: number;
  readonly checkpointFailures: number;
  readonly descriptorShortages: number;
}

/** The gauges that are read at scrape time. */
export interface FigureReaders {
  readonly queuedWrites: () => number;
  readonly walBytes: () => number;
  /** Reports that wait to be judged, and for how many seconds the oldest has. */
  readonly backlog: () => { readonly reports: number; readonly seconds: number };
  /** Monitoring failures that last, each kind with its number. */
  readonly monitoringFailures: () => Iterable<readonly [kind: string, failures: number]>;
  readonly machine: () => MachineReadings;
}

/** What is counted, and the text of all of it. */
export interface Figures {
  observe(listener: string, status: number, seconds: number): void;
  countRefused(code: string): void;
  text(): Promise<string>;
}

/** Makes a registry of its own; `read` gives the gauges that are read at scrape time. */
export function makeFigures(read: FigureReaders): Figures {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
  for (const name of DEAR) registry.removeSingleMetric(name);
  const answers = new Counter({
    name: "tower_http_answers_total",
    help: "Answers by listener and status.",
    labelNames: ["listener", "status"],
    registers: [registry],
  });
  const refused = new Counter({
    name: "tower_refused_reports_total",
    help: "Reports of known senders that were refused, by the problem's code.",
    labelNames: ["code"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "tower_http_answer_seconds",
    help: "Time from the request's arrival to the answer, in seconds.",
    labelNames: ["listener"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  });
  new Gauge({
    name: "tower_monitoring_failures",
    help: "What should be watched and is not, by kind.",
    labelNames: ["kind"],
    registers: [registry],
    collect() {
      for (const [kind, failures] of read.monitoringFailures()) this.set({ kind }, failures);
    },
  });
  const gauges: readonly (readonly [name: string, help: string, value: () => number | undefined])[] = [
    ["tower_queued_writes", "Writes waiting for a commit.", read.queuedWrites],
    ["tower_wal_bytes", "Size of the write-ahead log in bytes.", read.walBytes],
    [
      "tower_reports_waiting",
      "Accepted nightly reports that are not judged yet.",
      () => read.backlog().reports,
    ],
    [
      "tower_oldest_waiting_report_seconds",
      "How long the oldest report that is not judged yet has waited, in seconds; 0 when none waits.",
      () => read.backlog().seconds,
    ],
    [
      "tower_disk_free_bytes",
      "Room left on the disk of the data folder in bytes.",
      () => read.machine().diskFree,
    ],
    [
      "tower_storage_refusing",
      "1 while storage refuses writes, else 0.",
      () => Number(read.machine().refusing),
    ],
    [
      "tower_write_lock_wait_seconds",
      "How long writes have been waiting for a lock of another process.",
      () => read.machine().lockWaitSeconds,
    ],
    [
      "tower_checkpoint_failures_total",
      "Checkpoints that failed since the start.",
      () => read.machine().checkpointFailures,
    ],
    [
      "tower_descriptor_shortages_total",
      "Looks since the start that found file descriptors running out.",
      () => read.machine().descriptorShortages,
    ],
  ];
  for (const [name, help, value] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const now = value();
        if (now === undefined) this.reset();
        else this.set(now);
      },
    });
  }
  // One child per listener and status: looking it up by its labels anew costs more than counting.
  const counterOf = remembered((key: string) => {
    const [listener = "", status = ""] = key.split(" ");
    return answers.labels(listener, status);
  });
  const timerOf = remembered((listener: string) => duration.labels(listener));
  return {
    observe: (listener, status, seconds) => {
      counterOf(`${listener} ${status}`).inc();
      timerOf(listener).observe(seconds);
    },
    countRefused: (code) => refused.labels(code).inc(),
    text: () => registry.metrics(),
  };
}

function remembered<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
