/** What lies beside the objects of a repository decides nothing, and leads nowhere. */

import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeStore } from "../../src/measure/git/objects.ts";
import { temporaryFolder } from "../support/folder.ts";
import { words } from "../support/words.ts";
import { git, makeRepository } from "./repository.ts";
import { expectReport, run } from "./run.ts";

const TEXT = Array.from({ length: 40 }, (_, i) => `x${i} = ${i}`).join("\n");

const made = temporaryFolder();
afterAll(() => made[Symbol.dispose]());
/** Two commits; the second renames a file. Made once and copied. */
const MADE = makeRepository(join(made.path, "repo"), [
  { at: "2026-03-29T00:00:00Z", files: { "a.py": TEXT, "src/b.js": "b();\n" } },
]);
git(MADE, "reset", "-q", "--hard");
git(MADE, "mv", "a.py", "c.py");
git(MADE, "-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "-q", "-m", "x");

function project(folder: string, name = "repo"): string {
  cpSync(MADE, join(folder, name), { recursive: true });
  return join(folder, name);
}

async function answer(root: string, folder: string) {
  const result = await run(root, folder);
  return result instanceof Error ? [result.message, result.hint ?? []].flat().join(" ") : result.report;
}

/** The report without what the two folders' commits differ in. */
async function figures(root: string, folder: string, now: number) {
  const { report } = expectReport(await run(root, folder, { now: () => now }));
  return { measures: report.measures, unmeasured: report.unmeasured, findings: report.findings };
}

describe("the repository's own settings", () => {
  test("change no figure and start no program", async () => {
    using folder = temporaryFolder();
    const root = project(folder.path);
    const now = Number(git(root, "log", "-1", "--format=%ct").trim()) * 1000 + 60_000;
    const plain = await figures(project(folder.path, "plain"), folder.path, now);
    const mark = join(folder.path, "ran");
    const program = join(root, ".git/run");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    writeFileSync(join(root, ".git/more"), `[diff]\n\trenames = false\n[core]\n\tfsmonitor = ${program}\n`);
    writeFileSync(join(root, ".git/info/attributes"), "* diff=x filter=x merge=x linguist-vendored\n");
    writeFileSync(join(root, ".git/info/grafts"), `${git(root, "rev-parse", "HEAD").trim()}\n`);
    writeFileSync(join(root, ".mailmap"), "Eve <eve@example.test> Ada <ada@example.test>\n");
    for (const hook of ["post-checkout", "pre-auto-gc"]) cpSync(program, join(root, ".git", hook));
    const values = words(`
      include.path=more diff.renames=false diff.renameLimit=1 diff.orderFile=/nowhere diff.ignoreSubmodules=all
      diff.noprefix=true diff.relative=true log.follow=true log.showRoot=false log.showSignature=true
      log.date=relative log.excludeDecoration=refs/* core.quotePath=true core.worktree=/
      core.bigFileThreshold=1 core.ignoreCase=true core.precomposeUnicode=true core.abbrev=4
      core.commitGraph=true remote.origin.promisor=true remote.origin.partialclonefilter=blob:none
      extensions.partialClone=origin extensions.worktreeConfig=true i18n.logOutputEncoding=utf-16
      transfer.fsckObjects=true
    `);
    const programs = words(`
      diff.external diff.x.textconv diff.x.command filter.x.smudge filter.x.clean filter.x.process gpg.program
      core.fsmonitor core.pager core.sshCommand core.gitProxy core.alternateRefsCommand pager.rev-list
      uploadpack.packObjectsHook remote.origin.uploadpack
    `);
    const settings = [
      ...values.map((set) => set.split("=")),
      ...programs.map((name) => [name, program]),
      ["core.hooksPath", join(root, ".git")],
      ["core.attributesFile", join(root, ".git/info/attributes")],
      ["alias.cat-file", `!${program}`],
    ].map(([name = "", value]) => {
      const [section, ...rest] = name.split(".");
      const key = rest.pop();
      return `[${section}${rest.length === 0 ? "" : ` "${rest.join(".")}"`}]\n\t${key} = ${JSON.stringify(value)}\n`;
    });
    appendFileSync(join(root, ".git/config"), settings.join(""));
    expect(git(root, "config", "--list")).toContain("diff.renames=false\n");
    writeFileSync(join(root, ".git/config.worktree"), `[diff]\n\trenames = false\n`);
    expect(await figures(root, folder.path, now)).toEqual(plain);
    expect(plain.measures).toMatchObject({ commits_30d: 1, files_touched_30d: 1 });
    expect(existsSync(mark)).toBe(false);
  });

  test("that cannot be read keep nothing from being measured", async () => {
    using folder = temporaryFolder();
    const root = project(folder.path);
    writeFileSync(join(root, ".git/config"), "[core\nbroken");
    expect(await answer(root, folder.path)).toMatchObject({ measures: { files: 2 } });
  });

  test("the address of origin comes from the repository's own file, without includes, and a branch from packed references", async () => {
    using folder = temporaryFolder();
    const root = project(folder.path);
    writeFileSync(join(root, ".git/more"), '[remote "origin"]\n\turl = https://example.test/other\n');
    git(root, "config", "remote.origin.url", "https://ada:secret@example.test/harbor");
    git(root, "config", "include.path", "more");
    git(root, "config", "url.https://example.test/rewritten.insteadOf", "https://ada");
    git(root, "branch", "main2");
    git(root, "pack-refs", "--all");
    expect(await answer(root, folder.path)).toMatchObject({
      repository: { ref: "main", remote: "https://example.test/harbor" },
    });
  });
});

describe("objects come from the checkout alone", () => {
  test("of everything beside the objects nothing reaches git", () => {
    using folder = temporaryFolder();
    const root = project(folder.path);
    git(root, "repack", "-q", "-a", "-d", "--write-bitmap-index");
    git(root, "commit-graph", "write", "--reachable");
    git(root, "multi-pack-index", "write");
    makeStore(join(folder.path, "store"), join(root, ".git/objects"));
    expect(readdirSync(join(folder.path, "store")).sort()).toEqual(["HEAD", "config", "objects", "refs"]);
    expect(readdirSync(join(folder.path, "store/objects"))).toEqual(["pack"]);
  });

  test("objects that another repository lends are refused", async () => {
    using folder = temporaryFolder();
    const other = project(folder.path, "other");
    const root = makeRepository(join(folder.path, "repo"), []);
    writeFileSync(join(root, ".git/objects/info/alternates"), `${other}/.git/objects\n`);
    writeFileSync(join(root, ".git/HEAD"), git(other, "rev-parse", "HEAD"));
    expect(await answer(root, folder.path)).toBe(
      "The repository borrows objects from another one (objects/info/alternates). Make it whole first: git repack -a -d, then remove that file.",
    );
  });

  for (const [part, how] of [
    ["objects", "objects"],
    ["objects/pack", "objects/pack"],
  ] as const) {
    test(`a link in place of ${part} is refused`, async () => {
      using folder = temporaryFolder();
      const other = project(folder.path, "other");
      git(other, "repack", "-q", "-a", "-d");
      const root = makeRepository(join(folder.path, "repo"), []);
      writeFileSync(join(root, ".git/HEAD"), git(other, "rev-parse", "HEAD"));
      rmSync(join(root, ".git", part), { recursive: true });
      symlinkSync(join(other, ".git", part), join(root, ".git", part));
      expect(await answer(root, folder.path)).toBe(
        `The repository's ${how} holds a link or something else that is not a plain file. Measure a full clone.`,
      );
    });
  }

  test("a pipe in place of an object, a reference or a setting keeps nobody waiting", async () => {
    using folder = temporaryFolder();
    const root = project(folder.path);
    Bun.spawnSync(["mkfifo", join(root, ".git/objects", "pack/x.pack")]);
    expect(await answer(root, folder.path)).toStartWith("The repository's objects/pack holds a link");
    rmSync(join(root, ".git/objects/pack/x.pack"));
    rmSync(join(root, ".git/config"));
    Bun.spawnSync(["mkfifo", join(root, ".git/config"), join(root, ".git/shallow")]);
    expect(await answer(root, folder.path)).toMatchObject({ measures: { files: 2 } });
    rmSync(join(root, ".git/refs/heads/main"));
    Bun.spawnSync(["mkfifo", join(root, ".git/refs/heads/main")]);
    expect(await answer(root, folder.path)).toBe("The repository has no commit. Commit something first.");
  });

  test("a .git that leads to a repository which does not know the folder is refused", async () => {
    using folder = temporaryFolder();
    const other = project(folder.path, "other");
    git(other, "worktree", "add", "-q", "--detach", "../tree");
    const stray = join(folder.path, "stray");
    mkdirSync(stray);
    const unknown =
      "The folder's .git file names a repository that does not name the folder back. Measure that repository itself.";
    for (const target of [join(other, ".git"), join(other, ".git/worktrees/tree")]) {
      writeFileSync(join(stray, ".git"), `gitdir: ${target}\n`);
      expect(await answer(stray, folder.path)).toBe(unknown);
    }
    rmSync(join(stray, ".git"));
    symlinkSync(join(other, ".git"), join(stray, ".git"));
    expect(await answer(stray, folder.path)).toBe(
      "The folder's .git is a link. Name the folder that it leads to.",
    );
    expect(await answer(join(folder.path, "tree"), folder.path)).toMatchObject({ measures: { files: 2 } });
  });

  test("a commondir beside a .git folder's own objects is not followed", async () => {
    using folder = temporaryFolder();
    const other = project(folder.path, "other");
    const root = makeRepository(join(folder.path, "repo"), []);
    writeFileSync(join(root, ".git/commondir"), `${other}/.git\n`);
    expect(await answer(root, folder.path)).toBe("The repository has no commit. Commit something first.");
  });

  test("a submodule is measured where the repository above it keeps it", async () => {
    using folder = temporaryFolder();
    const above = join(folder.path, "above");
    const kept = project(folder.path, "kept");
    mkdirSync(join(above, ".git/modules"), { recursive: true });
    mkdirSync(join(above, "sub"));
    renameSync(join(kept, ".git"), join(above, ".git/modules/sub"));
    writeFileSync(join(above, "sub/.git"), "gitdir: ../.git/modules/sub\n");
    expect(await answer(join(above, "sub"), folder.path)).toMatchObject({ measures: { files: 2 } });
    renameSync(join(above, ".git/modules"), join(above, ".git/modules-other"));
    writeFileSync(join(above, "sub/.git"), "gitdir: ../.git/modules-other/sub\n");
    expect(await answer(join(above, "sub"), folder.path)).toBeString();
  });
});
