/** `/settings/calendars`: the calendars that are read, adding one, removing one. */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf, ruleSentence } from "../../base/text.ts";
import { utcDayOf } from "../../base/time.ts";
import { EVERY_SITE } from "../../sites/annotations.ts";
import {
  addCalendar,
  type Calendar,
  calendarScope,
  LONGEST_NAME,
  listCalendars,
  removeCalendar,
  upcomingOf,
} from "../../sites/calendars.ts";
import { listPortfolio } from "../../sites/sites.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import { Act, type Filled, Form, RefusedNote, SiteField, SureAct, TextField } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { Go, Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Age, Day, Moment } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";

type PageVisit = Pick<Visit<SignedIn, 0, 0, 0, 0>, "who" | "now" | "page">;

/** How many coming events a row shows. */
const FEW = 3;

export function calendarRoutes(deps: PageGround) {
  const { post } = confirmed({ secrets: ["address"] });
  return mounted(deps, [
    own.get(paths.calendars, {}, (visit) => visit.page(page(visit, { values: {}, errors: {} }))),
    post(paths.calendars, {}, async (visit) => {
      const typed = (field: string) => visit.form.get(field)?.trim() ?? "";
      const values = { name: typed("name"), asset: typed("asset") };
      const added = await addCalendar(deps, { ...values, address: typed("address") }, visit.by);
      if ("id" in added) return seeOther(withNotice(paths.calendars, "calendar-added"));
      const errors = Object.fromEntries(
        Object.entries(added).map(([field, rule]) => [field, ruleSentence(rule)]),
      );
      return visit.page(page(visit, { values, errors }), { status: 422 });
    }),
    post(paths.removeCalendar, {}, async ({ params: { name }, by }) => {
      if (!(await removeCalendar(deps.writer, name, by))) throw new Problem("not-found", "No such calendar.");
      return seeOther(withNotice(paths.calendars, "calendar-removed"));
    }),
  ]);

  function page({ who, now }: PageVisit, filled: Filled) {
    const calendars = listCalendars(deps.store.db);
    const { capabilities } = deps.health.read(now);
    const sites = listPortfolio(deps.store.db)
      .filter(({ lifecycle }) => lifecycle === "live")
      .map(({ id }) => [id, id] as const);
    const standing = (of: Calendar) => {
      const { target } = calendarScope(deps.config.workspace, of);
      const one = capabilities.flatMap(({ targets }) => targets).find((known) => known.target === target);
      const read = one?.lastSuccessStartedAt ?? null;
      return (
        <>
          {one === undefined ? "Site is retired" : <StateMark state={one.state} />}{" "}
          {read === null ? null : <Age at={read} />}
          {one === undefined || one.why === "" ? null : <p>{`${one.why} ${one.action.text}`}</p>}
        </>
      );
    };
    return (
      <SettingsPage
        part={paths.calendars}
        title="Calendars"
        note="Sales, holidays and search engine updates, shown on the timeline."
        still={Object.keys(filled.errors).length > 0}
      >
        <Block
          heading="Calendars"
          note="read every hour"
          tools={
            <>
              <Go to={paths.pauseEverywhere("calendars.read")} words="Pause" />
              <Act action={paths.runJob("calendars")} words="Read now" hidden={{ to: paths.calendars }} />
            </>
          }
        >
          <List
            of="Calendars"
            items={calendars}
            empty={<p>No calendars yet. Add an .ics address below.</p>}
            columns={[
              ["Name", ({ name }) => <Told class="wrap">{name}</Told>],
              ["Site", ({ asset }) => (asset === EVERY_SITE ? "All sites" : asset)],
              ["Last read", standing, { class: "all" }],
              [
                "Next 60 days",
                (of) => (
                  <>
                    <ul class="upcoming">
                      {upcomingOf(of, now)
                        .slice(0, FEW)
                        .map(({ at, isAllDay, title }) => (
                          <li>
                            {isAllDay ? <Day day={utcDayOf(at)} /> : <Moment at={at} />}{" "}
                            <Told class="wrap">{title ?? "Busy"}</Told>
                          </li>
                        ))}
                    </ul>
                    <small>
                      <Told>
                        {[countOf(upcomingOf(of, now).length, "event"), of.notes.join(" ")]
                          .filter((text) => text !== "")
                          .join(". ")}
                      </Told>
                    </small>
                  </>
                ),
                { class: "all" },
              ],
              [
                "Action",
                ({ name }) => (
                  <SureAct
                    action={paths.removeCalendar(name)}
                    words="Remove"
                    on={name}
                    consequence="Its upcoming events are deleted. Past events stay."
                    sure="Remove calendar"
                  />
                ),
                { class: "act", unseen: true },
              ],
            ]}
          />
        </Block>
        <Block heading="Add a calendar">
          <Form action={paths.calendars} autocomplete="off" send="Add calendar">
            <RefusedNote
              errors={filled.errors}
              words="Couldn't add the calendar. Check the highlighted field, and give the address again."
            />
            <TextField name="name" label="Name" filled={filled} maxlength={LONGEST_NAME} required />
            <TextField
              name="address"
              label="Secret address"
              type="password"
              filled={filled}
              help="For example https://calendar.example/sales.ics. Stored encrypted and never shown again."
              required
            />
            <SiteField
              name="asset"
              label="Site"
              filled={filled}
              choices={[[EVERY_SITE, "All sites"], ...sites]}
            />
            <PasswordAgain id="calendar" who={who} />
          </Form>
        </Block>
      </SettingsPage>
    );
  }
}
