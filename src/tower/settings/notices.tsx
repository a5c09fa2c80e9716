/** `/settings/notices` and below: the channels, their deliveries of the last 30 days, and the routes of a channel's form. */

import { capital, countWords as countOf } from "../../base/text.ts";
import { channelScope } from "../../health/scopes.ts";
import type { TargetView } from "../../integrations/integrations.ts";
import type { ChannelRules } from "../../notices/channel_settings.ts";
import { actOnChannel, type ChannelRow, findChannelRow, listChannelRows } from "../../notices/channels.ts";
import { listNotices, OUTCOMES, type StoredNotice, testChannel } from "../../notices/outbox.ts";
import { FAULT_CODES, isFaultCode } from "../../providers/faults.ts";
import { formatAge, formatCount, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { withNotice } from "../keyboard.tsx";
import { address, named, oneOf } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { CATEGORY_WORDS } from "../kit/category_words.ts";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Empty } from "../kit/empty.tsx";
import { Glyph, StateMark } from "../kit/glyph.tsx";
import { Chips, Code, Go, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { EarlierPager } from "../kit/pager.tsx";
import { Age } from "../kit/proof.tsx";
import { healthView, mounted, own, type Visit } from "../kit/route.ts";
import { Act } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import {
  type FormKind,
  formPage,
  gone,
  KINDS,
  kindOf,
  type NoticePageDeps,
  newAddress,
  SECRETS,
  SEVERITIES,
  save,
} from "./channel_form.tsx";
import { SettingsPage } from "./settings.tsx";

type ListVisit = Visit<SignedIn, unknown, typeof listAddress.usual, unknown, unknown>;

const PAGE_SIZE = 50;
const LISTED_MS = 30 * 86_400_000;
const OUTCOME_MARKS = {
  pending: ["idle", "Waiting"],
  held: ["paused", "Held"],
  delivered: ["working", "Delivered"],
  failed: ["failing", "Failed"],
} as const;

const listAddress = address({
  channel: named(64, null),
  outcome: oneOf(OUTCOMES, null),
  /** The delivery that the list goes on after. */
  before: named(64, null),
});
const link = (change: Partial<typeof listAddress.usual>) =>
  `${paths.notices}${listAddress.search(change)}#deliveries`;

export function noticePageRoutes(deps: NoticePageDeps) {
  const { db } = deps.store;
  const secret = confirmed({ secrets: SECRETS });
  return mounted(deps, [
    own.get(paths.notices, { query: listAddress }, listPage),
    own.get(paths.newChannel, { query: newAddress }, (visit) =>
      formPage(deps, visit, visit.query.kind, null),
    ),
    secret.post(paths.newChannel, {}, (visit) => save(deps, visit, newAddress.read(visit.form).kind, null)),
    own.get(paths.channel, {}, (visit) => formPage(deps, visit, ...known(visit.params.id))),
    secret.post(paths.channel, {}, (visit) => save(deps, visit, ...known(visit.params.id))),
    own.post(paths.pauseChannel, {}, async ({ params: { id }, form, by }) => {
      const isPause = form.get("undo") !== "1";
      if ((await actOnChannel(deps, id, isPause ? "pause" : "resume", by)) === undefined) throw gone();
      return seeOther(withNotice(paths.channel(id), isPause ? "channel-paused" : "channel-resumed"));
    }),
    confirmed().post(paths.removeChannel, {}, async ({ params: { id }, by }) => {
      if ((await actOnChannel(deps, id, "remove", by)) === undefined) throw gone();
      return seeOther(withNotice(paths.notices, "channel-removed"));
    }),
    own.post(paths.testChannel, {}, async ({ params: { id } }) => {
      const { isMonitored, sent } = await testChannel(deps, known(id)[1]);
      const came = sent.ok ? "test-delivered" : "test-failed";
      const its = `${paths.notices}${listAddress.search({ channel: id })}`;
      return seeOther(withNotice(its, isMonitored ? came : "test-unrecorded"));
    }),
  ]);

  function known(id: string): readonly [FormKind, ChannelRow] {
    const row = findChannelRow(db, id);
    if (row === undefined) throw gone();
    return [kindOf(row), row];
  }

  function listPage({ request, query, now }: ListVisit) {
    const { channel, outcome, before } = query;
    const all = listChannelRows(db);
    const nameOf = (id: string) => all.find((row) => row.id === id)?.name ?? id;
    const { capabilities } = healthView(request, deps.health, now);
    const rows = all
      .filter(({ removed_at }) => removed_at === null)
      .map((row) => {
        const { capability, target } = channelScope(deps.config.workspace, row, false);
        const targets = capabilities.find((one) => one.capability === capability)?.targets;
        const [last] = listNotices(db, { channel: row.id, real: true }, 1);
        return { row, last, health: targets?.find((one) => one.target === target) };
      });
    const from = now - LISTED_MS;
    const lost = listNotices(db, { outcome: "failed", real: true, from }, PAGE_SIZE);
    const [at, id] = before?.split("_") ?? [];
    const narrowed = { from, channel: channel ?? undefined, outcome: outcome ?? undefined };
    const found = listNotices(db, narrowed, PAGE_SIZE + 1, at === undefined ? [] : [Number(at), id ?? ""]);
    const listed = found.slice(0, PAGE_SIZE);
    const end = listed.at(-1);
    const add = <Go to={paths.newChannel} words="Add channel" primary />;
    return (
      <SettingsPage part={paths.notices} title="Notices">
        {lost.length === 0 ? null : (
          <Callout tone={rows.some(({ last }) => last?.outcome === "failed") ? "failing" : "stale"}>
            <p>
              {lost.length === PAGE_SIZE ? "Many messages" : countOf(lost.length, "message")} of the last 30
              days never arrived. <a href={link({ outcome: "failed" })}>View</a>
            </p>
          </Callout>
        )}
        {rows.length === 0 ? (
          <Empty alone heading="Nobody is notified">
            <p>A channel sends flags by mail, ntfy, chat or webhook.</p>
            {add}
          </Empty>
        ) : (
          <Block heading="Channels" tools={add}>
            <List
              of="Channels"
              items={rows}
              id={({ row }) => row.id}
              columns={[
                [
                  "Channel",
                  ({ row }) => both(linked(paths.channel(row.id), row.name), KINDS[kindOf(row)][0]),
                ],
                ["Sends", ({ row }) => both(...sendsWords(row.rules))],
                ["Quiet hours", ({ row }) => hoursWords(row.rules)],
                [
                  "Last delivery",
                  ({ row, last, health }) => lastWords(row, last, health, now),
                  { label: true, class: "all" },
                ],
                [
                  "Actions",
                  ({ row: { id, name } }) => (
                    <Act action={paths.testChannel(id)} words="Send test" on={<Told>{name}</Told>} />
                  ),
                  { unseen: true },
                ],
              ]}
            />
          </Block>
        )}
        <Block
          heading="Deliveries"
          id="deliveries"
          note={<Told>{`${channel === null ? "" : `${nameOf(channel)}, `}last 30 days`}</Told>}
        >
          <div class="filters">
            <Chips
              label="Outcome"
              choices={[null, ...OUTCOMES].map((one) => ({
                words: one === null ? "All" : OUTCOME_MARKS[one][1],
                href: link(one === null ? {} : { channel, outcome: one }),
                chosen: outcome === one,
              }))}
            />
          </div>
          <List
            of="Deliveries, newest first"
            items={listed}
            empty={<p>No messages in 30 days.</p>}
            columns={[
              ["Sent", (one) => ageOf(one), { class: "nowrap" }],
              [
                "Message",
                (one) => both(<Told class="wrap">{subjectOf(one)}</Told>, <Code>{one.id}</Code>),
                { names: true },
              ],
              ["Channel", ({ channel: id }) => linked(link({ channel: id, outcome }), nameOf(id))],
              [
                "Outcome",
                (one) => both(outcomeMark(one), nextWords(one, now)),
                { label: true, class: "all" },
              ],
              ["Attempts", ({ attempts }) => formatCount(attempts), { numeric: true }],
            ]}
          />
          <EarlierPager
            newest={before === null ? null : link({ channel, outcome })}
            earlier={
              end && found.length > PAGE_SIZE
                ? link({ channel, outcome, before: `${end.created_at}_${end.id}` })
                : null
            }
          />
        </Block>
      </SettingsPage>
    );
  }
}

const linked = (href: string, name: string) => (
  <a href={href} data-row>
    <Told class="wrap">{name}</Told>
  </a>
);
const both = (first: Child, second: Child) => (
  <>
    {first}
    <small class="block-sm">{second}</small>
  </>
);

/** Why a delivery failed and what to do, by its reviewed code. */
function whyWords({ code, outcome }: StoredNotice): string {
  if (code === null) return "";
  if (!isFaultCode(code)) return "The channel was paused or removed first.";
  const { category, words, action } = FAULT_CODES[code];
  return `${CATEGORY_WORDS[category]}: ${words}${outcome === "failed" ? ` ${action}` : ""}`;
}

function outcomeMark({ outcome }: StoredNotice) {
  const [state, words] = OUTCOME_MARKS[outcome];
  return (
    <span class="state" data-state={state}>
      <Glyph name={`s-${state}`} />
      {words}
    </span>
  );
}

/** Why a delivery is not there, and when it is sent next. */
function nextWords(notice: StoredNotice, now: number): string {
  const { outcome, due_at } = notice;
  if (outcome === "delivered" || outcome === "failed") return whyWords(notice);
  return `${whyWords(notice)} ${outcome === "held" ? "Until" : "Next try"} ${formatMoment(due_at, now)}`;
}

/** The last delivery; of a heartbeat, of which none is stored, its health. */
function lastWords(
  row: ChannelRow,
  last: StoredNotice | undefined,
  health: TargetView | undefined,
  now: number,
) {
  if (row.paused_at !== null) return <StateMark state="paused" />;
  if (last !== undefined)
    return both(
      outcomeMark(last),
      <>
        {ageOf(last)}, <Told>{subjectOf(last)}</Told>. {nextWords(last, now)}
      </>,
    );
  const at = health?.lastSuccessStartedAt ?? null;
  if (!health?.lastAttemptStartedAt) return <span class="dim">Nothing sent yet</span>;
  return both(<StateMark state={health.state} />, `${at === null ? "" : formatAge(at, now)} ${health.why}`);
}

/** What a delivery is about, until it is written. */
const subjectOf = ({ content, type, asset }: StoredNotice): string =>
  content?.subject ?? capital([type.replace(".", " "), ...(asset === null ? [] : [asset])].join(", "));
const ageOf = ({ last_attempt_at, created_at }: StoredNotice) => <Age at={last_attempt_at ?? created_at} />;
function sendsWords({ severity, sites, group, resolved, heartbeat }: ChannelRules): [Child, string] {
  if (heartbeat) return ["A call each hour while all jobs run", ""];
  const all = [...(group === null ? [] : [group]), ...(sites ?? [])];
  const more = all.length > 3 ? ` and ${formatCount(all.length - 3)} more` : "";
  const words = SEVERITIES[severity];
  const whom =
    all.length === 0 ? "All sites" : <Told class="wrap">{`${all.slice(0, 3).join(", ")}${more}`}</Told>;
  return [whom, `${words}${resolved ? ", recoveries" : ""}`];
}

function hoursWords({ quiet, digest, zone }: ChannelRules): string {
  const hours = quiet === null ? [] : [`${quiet.from}–${quiet.to}`];
  const words = [...hours, ...(digest === null ? [] : [`digest ${digest}`])];
  return words.length === 0 ? "None" : `${words.join(", ")} (${zone})`;
}
