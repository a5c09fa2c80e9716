import type { Child } from "../jsx/jsx-runtime.ts";

/**
 * Text that a site, a repository or a provider wrote. `hx-ignore` keeps htmx out of it, and `bdi` keeps its
 * writing direction to itself, so that an override character cannot turn round the words beside it.
 */
export function Told({ children, class: name }: { readonly children: string; readonly class?: string }) {
  return (
    <bdi hx-ignore class={name}>
      {children}
    </bdi>
  );
}

/** An identifier, path, version or commit that came from outside, in the fixed-width face. */
export function Code({ children }: { readonly children: string }) {
  return <Told class="mono wrap">{children}</Told>;
}

/** A link to an address that a site gave. An address that is no plain web address stays text. */
export function OutsideLink({ address }: { readonly address: string }) {
  if (!/^https?:\/\//i.test(address)) return <Told class="wrap">{address}</Told>;
  return (
    <a class="wrap" href={address} rel="noreferrer noopener">
      <Told>{address.replace(/^https?:\/\//i, "").replace(/\/$/, "")}</Told>
    </a>
  );
}

/** Words for a reader who does not see the page. */
export function Unseen({ children }: { readonly children: Child }) {
  return <span class="vh">{children}</span>;
}
