import type { NavItem } from "./shell.ts";

/** One line of the list: the keys, and what they do. */
type Line = readonly [keys: readonly string[], words: string];

/** Keys on the row that has the focus, else on the opened flag. */
const FLAG_KEYS: readonly Line[] = [
  [["a"], "Acknowledge"],
  [["s"], "Snooze"],
  [["i"], "Link an incident"],
  [["h"], "Note a hypothesis"],
  [["t"], "Tune its rule"],
  [["r"], "Resolve"],
  [["u"], "Undo acknowledge"],
  [["o"], "Open"],
  [["x"], "Tick"],
  [["b"], "Go to the acts on ticked flags"],
];

/** Keys on a day of a site's charts, which Tab leads to. */
const DAY_KEYS: readonly Line[] = [
  [["←", "→"], "Read out the day before, after"],
  [["PgUp", "PgDn"], "A week before, after"],
  [["Home", "End"], "The first, the last day"],
  [["Enter"], "Open the day"],
];

/** The keys and what they do, with a switch that turns single keys off (WCAG 2.1.4). */
export function KeyboardDialog({ nav }: { readonly nav: readonly NavItem[] }) {
  return (
    <dialog id="keys" aria-labelledby="keys-heading">
      <div class="stack">
        <h2 id="keys-heading">Keyboard</h2>
        <Lines
          lines={[
            [["j", "k"], "Next, previous row"],
            [["Enter"], "Open row"],
            [["/"], "Find a site"],
            ...nav.map((item): Line => [["g", item.key], item.words]),
            [["?"], "This list"],
            [["Esc"], "Close"],
          ]}
        />
        <h3>Charts of a site</h3>
        <Lines lines={DAY_KEYS} />
        <h3>Flags</h3>
        <Lines lines={FLAG_KEYS} />
        <p class="note">
          A key acts on the row that has the focus, whatever is ticked; with no row in focus it acts on the
          opened flag. The buttons over the list act on what is ticked. After an act the next row has the
          focus and nothing is ticked.
        </p>
        <label class="pick">
          <input type="checkbox" id="keys-on" checked />
          Single keys work on this computer
        </label>
        <form method="dialog">
          <button class="btn">Close</button>
        </form>
      </div>
    </dialog>
  );
}

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <dl class="keys">
      {lines.map(([keys, words]) => (
        <div>
          <dt>
            {keys.map((key) => (
              <>
                {" "}
                <kbd>{key}</kbd>
              </>
            ))}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Finds a site from any page. */
export function FindDialog({ action }: { readonly action: string }) {
  return (
    <dialog id="find" aria-labelledby="find-heading">
      <form method="get" action={action} class="stack tight">
        <label id="find-heading" for="find-q">
          Find a site
        </label>
        <input id="find-q" name="find" type="search" autocomplete="off" placeholder="Identifier or address" />
        <p class="note">Opens the site that matches, or lists them where several do.</p>
        <p>
          <button class="btn primary">Find</button>
        </p>
      </form>
    </dialog>
  );
}
