import { expect, test } from "bun:test";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "./run.ts";

test("token issue takes known scopes alone, and one of a site and an operator", async () => {
  using folder = temporaryFolder();
  const opened = await openFolder(folder.path);
  const { apiTokens, siteTokens } = opened.deps;
  for (const words of [
    "",
    " --asset a --operator ci --scopes read",
    " --asset a/b",
    " --operator ci",
    " --operator ci --scopes admin",
    " --operator ci --scopes read,admin",
    " --operator a,b --scopes read",
    " --nope",
  ])
    await run(opened, `token issue${words}`);
  const ofSite = await run(opened, "token issue --asset harbor");
  expect(siteTokens.find(ofSite.stdout)).toMatchObject({ asset: "harbor" });
  const ofOperator = await run(opened, "token issue --operator ci --scopes read,annotations");
  expect(apiTokens.find(ofOperator.stdout)).toMatchObject({
    operator: "ci",
    scopes: ["annotations", "read"],
  });
  opened.close();
});
