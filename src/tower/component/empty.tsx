import type { Child } from "../jsx/jsx-runtime.ts";

/** An empty place: what is missing, why, and the next step. */
export function Empty({ heading, children }: { readonly heading: string; readonly children: Child }) {
  return (
    <div class="empty">
      <h3>{heading}</h3>
      {children}
    </div>
  );
}
