/** What a process counts of itself for `/metrics`: heavy to load, so it is loaded when the service is up (`metrics.ts`). */

import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/**
 * Of the runtime's own figures these are left out: for those of its heap's spaces it walks the whole heap (5 ms at 1,000 sites, and
 * every other request waits), and the totals are named like counters and are none; their parts are there. Bun's heap is not Node's: what
 * is called used exceeds the total, and the process's is address space (6.4 GB at 95 MB resident).
 */
const LEFT_OUT = [
  ...["total", "used", "available"].map((which) => `nodejs_heap_space_size_${which}_bytes`),
  ...["process_heap_bytes", "nodejs_external_memory_bytes"],
  ...["total", "used"].map((which) => `nodejs_heap_size_${which}_bytes`),
  ...["handles", "requests", "resources"].map((which) => `nodejs_active_${which}_total`),
];

/** What is counted, and the text of all of it. */
export interface Figures {
  observe(listener: string, status: number, seconds: number): void;
  text(): Promise<string>;
}

/** Makes a registry of its own. */
export function makeFigures(): Figures {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  const answers = new Counter({
    name: "tower_http_answers_total",
    help: "Answers by listener and status.",
    labelNames: ["listener", "status"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "tower_http_answer_seconds",
    help: "Time from the request's arrival to the answer.",
    labelNames: ["listener"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  });
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
