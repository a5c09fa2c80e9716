/** Every feature's tables, gathered for drizzle-kit, which makes migrations of them. Nothing that runs imports it. */
export * from "./annotations/table.ts";
export * from "./assets/table.ts";
export * from "./audit/table.ts";
export * from "./codebase/table.ts";
export * from "./constants/table.ts";
export * from "./credentials/table.ts";
export * from "./db/table.ts";
export * from "./flags/table.ts";
export * from "./flow/table.ts";
export * from "./jobs/table.ts";
export * from "./live/table.ts";
export * from "./monitoring/table.ts";
export * from "./operators/table.ts";
export * from "./pulse/table.ts";
export * from "./refusals/table.ts";
export * from "./series/table.ts";
export * from "./signals/table.ts";
