/**
 * A runner for one job of a workflow: it reads the workflow and the action as they are written, fills in their expressions, and runs the
 * steps' scripts in the real shell with the files and variables that a runner gives them. Three actions are known.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "../../support/service.ts";

// The part of the workflows' expression language that the action and its workflow use.

/** What names stand for: `github.ref` looks into `github`. */
export type Context = Readonly<Record<string, unknown>>;

export type Value = string | number | boolean | null;

/** Fills in every expression of a text. */
export function fillIn(text: string, context: Context): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, inner: string) => words(evaluate(inner, context)));
}

function words(value: Value): string {
  return value === null ? "" : String(value);
}

/** Evaluates one expression. Throws at what is not understood, so that nothing is taken for something else. */
export function evaluate(text: string, context: Context): Value {
  const tokens = [...text.matchAll(/\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*|&&|\|\||[!=]=|[!()]|\S)/g)].map(
    ([, token]) => token ?? "",
  );
  let at = 0;
  const take = (...known: readonly string[]) => known.includes(tokens[at] ?? "") && at++ >= 0;
  const either = (): Value => {
    let value = both();
    while (take("||")) {
      const other = both();
      value = value ? value : other;
    }
    return value;
  };
  const both = (): Value => {
    let value = compared();
    while (take("&&")) {
      const other = compared();
      value = value ? other : value;
    }
    return value;
  };
  const compared = (): Value => {
    const value = one();
    if (take("==")) return words(value) === words(one());
    if (take("!=")) return words(value) !== words(one());
    return value;
  };
  const one = (): Value => {
    if (take("!")) return !one();
    if (take("(")) {
      const value = either();
      if (!take(")")) throw new Error(`no closing bracket: ${text}`);
      return value;
    }
    const token = tokens[at++] ?? "";
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`not understood: ${token} in ${text}`);
    if (take("(")) {
      if (!take(")")) throw new Error(`arguments are not understood: ${text}`);
      return call(token, context);
    }
    return lookUp(token, context);
  };
  const value = either();
  if (at !== tokens.length) throw new Error(`not understood: ${text}`);
  return value;
}

function call(name: string, context: Context): Value {
  if (name === "always") return true;
  if (name === "success") return context["success"] === true;
  throw new Error(`no function ${name}`);
}

/** An unknown name is empty, as it is there; a whole object is none of what is asked for. */
function lookUp(path: string, context: Context): Value {
  let value: unknown = context;
  for (const part of path.split(".")) {
    value = typeof value === "object" && value !== null && part in value ? Reflect.get(value, part) : null;
  }
  if (typeof value === "object" && value !== null) throw new Error(`${path} is no text`);
  return (value ?? null) as Value;
}

/** What the job is started with. */
export interface Job {
  readonly workflow: string;
  /** The repository that is checked out. */
  readonly repository: string;
  /** An empty folder for all that the runner keeps. */
  readonly home: string;
  /** Folders of programs that come before the machine's own. */
  readonly programs: string;
  readonly secrets?: Readonly<Record<string, string>>;
  /** How other jobs ended. */
  readonly needs?: Readonly<
    Record<string, { readonly result: string; readonly outputs?: Readonly<Record<string, string>> }>
  >;
  readonly refName?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly green: boolean;
  readonly log: string;
  /** What the log's own messages say: `warning: The report…`. */
  readonly messages: readonly string[];
  readonly summary: string;
  /** The kept files, by the artifact's name. */
  readonly artifacts: ReadonlyMap<string, string>;
}

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface JobText {
  readonly if?: string;
  readonly steps: readonly Step[];
}

interface ActionText {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface State {
  readonly job: Job;
  readonly workspace: string;
  readonly temp: string;
  readonly artifacts: Map<string, string>;
  log: string;
  summary: string;
  green: boolean;
}

/** Runs the one job of the workflow. */
export async function runJob(job: Job): Promise<Ran> {
  const { jobs } = Bun.YAML.parse(job.workflow) as { readonly jobs: Readonly<Record<string, JobText>> };
  const [text] = Object.values(jobs);
  if (text === undefined) throw new Error("the workflow has no job");
  const [workspace, temp] = [join(job.home, "work space"), join(job.home, "temp")];
  mkdirSync(temp, { recursive: true });
  const state: State = { job, workspace, temp, artifacts: new Map(), log: "", summary: "", green: true };
  const needs = job.needs ?? {};
  const allWell = Object.values(needs).every(({ result }) => result === "success");
  const context = {
    secrets: job.secrets ?? {},
    needs,
    github: { ref: `refs/heads/${job.refName ?? "main"}`, workspace },
    runner: { temp },
  };
  if (evaluate(text.if ?? "success()", { ...context, success: allWell }) === true) {
    await runSteps(text.steps, context, state, undefined);
  }
  const { log, summary, green, artifacts } = state;
  return { green, log, summary, artifacts, messages: messagesOf(log) };
}

async function runSteps(
  steps: readonly Step[],
  context: Context,
  state: State,
  actionPath: string | undefined,
) {
  const outputs: Record<string, { readonly outputs: Record<string, string> }> = {};
  for (const step of steps) {
    const here = { ...context, steps: outputs, success: state.green };
    const asked = step.if ?? "success()";
    const always = asked.includes("always()");
    if (!(always || state.green) || !evaluate(asked, here)) continue;
    if (step.run !== undefined) {
      const set = await runScript(step, here, state, actionPath);
      if (step.id !== undefined) outputs[step.id] = { outputs: set };
    } else await use(step, here, state);
  }
}

async function use(step: Step, context: Context, state: State): Promise<void> {
  const { uses = "", with: given = {} } = step;
  const filled = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, fillIn(String(value), context)]),
  );
  if (/^actions\/checkout@[0-9a-f]{40}$/.test(uses)) {
    const depth = filled["fetch-depth"] === "0" ? [] : ["--depth=1"];
    Bun.spawnSync(["git", "clone", "--quiet", ...depth, `file://${state.job.repository}`, state.workspace]);
  } else if (/^actions\/upload-artifact@[0-9a-f]{40}$/.test(uses)) {
    const [name, path] = [filled["name"] ?? "", filled["path"] ?? ""];
    if (existsSync(path)) state.artifacts.set(name, readFileSync(path, "utf8"));
  } else if (uses.startsWith("./")) {
    const folder = join(state.workspace, uses);
    const action = Bun.YAML.parse(readFileSync(join(folder, "action.yml"), "utf8")) as ActionText;
    const unknown = Object.keys(filled).filter((name) => !(name in action.inputs));
    if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(", ")}`);
    const inputs = Object.fromEntries(
      Object.entries(action.inputs).map(([name, about]) => {
        if (about.required === true && !filled[name]) throw new Error(`the input ${name} is needed`);
        return [name, filled[name] ?? about.default ?? ""];
      }),
    );
    // A composite action's steps know no secrets.
    const { secrets: _, needs: __, ...rest } = context;
    await runSteps(action.runs.steps, { ...rest, inputs }, state, folder);
  } else throw new Error(`this runner has no ${uses}`);
}

async function runScript(
  step: Step,
  context: Context,
  state: State,
  actionPath: string | undefined,
): Promise<Record<string, string>> {
  const { job, temp, workspace } = state;
  if (step.shell !== "bash") throw new Error("every script of an action names its shell");
  if (step.run?.includes("${{") === true) throw new Error("an expression inside a script is code");
  const [script, output, summary] = ["script.sh", "output", "summary"].map((name) => join(temp, name));
  for (const file of [output, summary]) writeFileSync(file ?? "", "");
  writeFileSync(script ?? "", step.run ?? "");
  const env = Object.fromEntries(
    Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(String(value), context)]),
  );
  const child = Bun.spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", script ?? ""], {
    cwd: workspace,
    env: {
      PATH: `${job.programs}:/usr/local/bin:/usr/bin:/bin`,
      HOME: job.home,
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: workspace,
      GITHUB_REF_NAME: job.refName ?? "main",
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temp,
      ...(actionPath === undefined ? {} : { GITHUB_ACTION_PATH: actionPath }),
      ...job.env,
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, err } = await finished(child);
  state.log += out + err;
  if (code !== 0) state.green = false;
  state.summary += readFileSync(summary ?? "", "utf8");
  const lines = readFileSync(output ?? "", "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** The messages of a log, as a runner reads them: none while commands are stopped. */
function messagesOf(log: string): string[] {
  const messages: string[] = [];
  let stopped: string | undefined;
  for (const line of log.split("\n")) {
    if (stopped !== undefined) {
      if (line === `::${stopped}::`) stopped = undefined;
      continue;
    }
    stopped = /^::stop-commands::(.+)$/.exec(line)?.[1];
    const [, kind, text] = /^\s*::(\w[\w-]*)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
    if (kind !== undefined && kind !== "stop-commands") messages.push(`${kind}: ${text}`);
  }
  return messages;
}

/** A programs folder with a copy of a file in it, to be run by its name. */
export function program(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text, { mode: 0o755 });
}
