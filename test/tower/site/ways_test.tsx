/** What is shown for an installation. */

import { expect, test } from "bun:test";
import { TOWER_COMMAND } from "../../../src/base/command_line.ts";
import { GITHUB, workflowFile } from "../../../src/measure/action/workflow.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { CodebaseWays, IngestNote } from "../../../src/tower/site/ways.tsx";
import { byId, parsed, rawTextOf, textOf } from "../../support/html.ts";
import { DESTINATION } from "../../support/tower_data.ts";

function shown(to: Partial<typeof DESTINATION>) {
  const destination = { ...DESTINATION, ...to };
  const page = parsed(
    render(
      <div>
        <CodebaseWays destination={destination} />
        <IngestNote destination={destination} />
      </div>,
    ),
  );
  return { words: textOf(page), command: (id: string) => rawTextOf(byId(page, id)).trim() };
}

test("on loopback the page says that no hosted runner reaches it, and that the report is kept", () => {
  const { words, command } = shown({});
  expect(words).toContain("INGEST_URLLeave it out until hosted runners can reach Tower.");
  expect(words).toContain("keeps the report as an artifact");
  expect(words).toContain("A runner on this computer posts to http://127.0.0.1:4610");
  expect(command("way-action-write")).toBe(
    `${TOWER_COMMAND} action write path/to/checkout --asset trailledger`,
  );
});

test("in a container the ingest is reached where its port is published, and the commands run through Docker", () => {
  const { words, command } = shown({ container: "tower" });
  expect([words, command("way-local"), command("way-action-write")]).toMatchSnapshot();
});

test("a published address is what the secret is set to", () => {
  expect(shown({ ingest: "https://in.example", loopback: false }).words).toMatchSnapshot();
});

test("the workflow that is shown is the one that is written", () => {
  expect(`${shown({}).command("way-action")}\n`).toBe(workflowFile(GITHUB, "trailledger"));
});
