/** What an operator does to one integration, where it stands: every act can be taken back by the one that then stands in its place. */

import type { Db } from "../../db/mod.ts";
import { capabilityOf, listInForce, type Pause } from "../../health/mod.ts";
import type { CapabilityView, TargetView } from "../../integrations/mod.ts";
import { isProvider } from "../../provider/contract.ts";
import { DisconnectForm, ForgetForm, PauseForm, ResumeForm } from "./acts.tsx";

/** What is paused now of a site, or of every site. */
export function pausesOf(db: Db, asset: string, now: number): Pause[] {
  return listInForce(db, now).filter((pause) => pause.asset === "" || pause.asset === asset);
}

interface SiteActsProps {
  readonly of: CapabilityView;
  readonly target: TargetView;
  /** Those of the site and of every site. */
  readonly pauses: readonly Pause[];
  /** A property of the site is attached. */
  readonly isAttached: boolean;
  readonly back: string;
}

/** Pause or resume, disconnect or forget. The connection of archived reports is that of the daily figures, where it is taken away. */
export function SiteActs({ of, target, pauses, isAttached, back }: SiteActsProps) {
  const { asset } = target;
  const { capability, provider } = of;
  const own = pauses.filter((pause) => pause.capability === capability);
  const isHeld = pauses.some((pause) => pause.capability === "") || target.state === "disconnected";
  return (
    <div class="row">
      {own.map((pause) => (
        <>
          {pause.asset === "" ? <small>paused on every site</small> : null}
          <ResumeForm capability={capability} asset={pause.asset} back={back} />
        </>
      ))}
      {isHeld || own.length > 0 || capabilityOf(capability)?.pausable !== true ? null : (
        <PauseForm capability={capability} asset={asset} back={back} />
      )}
      {of.kind === "production_read" &&
      capabilityOf(capability)?.ofReports === false &&
      isProvider(provider) ? (
        target.state === "disconnected" ? (
          <ForgetForm provider={provider} asset={asset} back={back} />
        ) : isAttached ? (
          <DisconnectForm provider={provider} asset={asset} back={back} />
        ) : null
      ) : null}
    </div>
  );
}

/** Pauses all of a site, or resumes it. */
export function WholeSiteActs(props: {
  readonly asset: string;
  readonly pauses: readonly Pause[];
  readonly back: string;
}) {
  const { asset, pauses, back } = props;
  return pauses.some((pause) => pause.capability === "") ? (
    <>
      <small>all of this site is paused</small>
      <ResumeForm capability="" asset={asset} back={back} />
    </>
  ) : (
    <PauseForm capability="" asset={asset} back={back} words="Pause all of this site" />
  );
}
