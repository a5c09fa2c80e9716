import type { NavItem } from "./shell.ts";

/** Keys on the focused flag of a list, else on the opened one. */
const FLAG_KEYS = [
  ["o", "Open the flag"],
  ["x", "Tick the flag"],
  ["a", "Acknowledge the flag"],
  ["s", "Snooze the flag"],
  ["t", "Tune its rule"],
  ["i", "Link an incident"],
  ["h", "Note a hypothesis"],
  ["r", "Resolve the flag"],
] as const;

/** The keys and what they do, with a switch that turns single keys off (WCAG 2.1.4). */
export function KeyboardDialog({ nav }: { readonly nav: readonly NavItem[] }) {
  return (
    <dialog id="keys" aria-labelledby="keys-heading">
      <div class="stack">
        <h2 id="keys-heading">Keyboard</h2>
        <dl class="keys">
          <div>
            <dt>
              <kbd>j</kbd> <kbd>k</kbd>
            </dt>
            <dd>Next, previous row</dd>
          </div>
          <div>
            <dt>
              <kbd>Enter</kbd>
            </dt>
            <dd>Open row</dd>
          </div>
          <div>
            <dt>
              <kbd>/</kbd>
            </dt>
            <dd>Find a site</dd>
          </div>
          <div>
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>This list</dd>
          </div>
          {nav.map((item) => (
            <div>
              <dt>
                <kbd>g</kbd> <kbd>{item.key}</kbd>
              </dt>
              <dd>{item.words}</dd>
            </div>
          ))}
          {FLAG_KEYS.map(([key, words]) => (
            <div>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>Close</dd>
          </div>
        </dl>
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

/** Finds a site from any page. */
export function FindDialog({ action }: { readonly action: string }) {
  return (
    <dialog id="find" aria-labelledby="find-heading">
      <form method="get" action={action} class="stack tight">
        <label id="find-heading" for="find-q">
          Find a site
        </label>
        <input id="find-q" name="q" type="search" autocomplete="off" placeholder="Identifier or address" />
        <p class="note">Enter lists the sites that match. The filter on Sites does the same.</p>
      </form>
    </dialog>
  );
}
