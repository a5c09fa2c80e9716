import { Told } from "../component/text.tsx";
import type { NamedConnection } from "./names.ts";

/** To the account that something is asked over; `otherwise` stands where there is none any more. */
export function AccountLink(props: {
  readonly account: NamedConnection | undefined;
  readonly otherwise: string;
}) {
  const { account, otherwise } = props;
  if (account === undefined) return <>{otherwise}</>;
  return (
    <a href={account.href}>
      <Told class="wrap">{account.label}</Told>
    </a>
  );
}
