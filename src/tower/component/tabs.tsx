import type { Child } from "../jsx/jsx-runtime.ts";

/** One page of a set. */
export interface Tab {
  readonly href: string;
  readonly words: Child;
  readonly current: boolean;
}

/** Links between the pages about one thing. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a href={tab.href} aria-current={tab.current ? "page" : undefined}>
          {tab.words}
        </a>
      ))}
    </nav>
  );
}
