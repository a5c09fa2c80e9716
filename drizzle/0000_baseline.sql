CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`act` text NOT NULL,
	`target` text NOT NULL,
	`detail` text NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL,
	`mac` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `wall_link` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revoked_by` text,
	`last_used_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `wall_link_digest_unique` ON `wall_link` (`digest`);--> statement-breakpoint
CREATE TABLE `api_token` (
	`id` text PRIMARY KEY NOT NULL,
	`operator` text NOT NULL,
	`digest` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revoked_by` text,
	`last_used_at` integer,
	FOREIGN KEY (`operator`) REFERENCES `operator`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_token_digest_unique` ON `api_token` (`digest`);--> statement-breakpoint
CREATE INDEX `api_token_operator` ON `api_token` (`operator`);--> statement-breakpoint
CREATE TABLE `operator` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL,
	`password_changed_at` integer,
	CONSTRAINT "operator_kind" CHECK("operator"."kind" IN ('person', 'service')),
	CONSTRAINT "operator_service_has_no_password" CHECK("operator"."kind" <> 'service' OR "operator"."password_hash" IS NULL)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_name_unique` ON `operator` (`name`);--> statement-breakpoint
CREATE TABLE `operator_device` (
	`operator` text NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`operator`, `digest`),
	FOREIGN KEY (`operator`) REFERENCES `operator`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `operator_session` (
	`digest` text PRIMARY KEY NOT NULL,
	`operator` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`confirmed_at` integer NOT NULL,
	`address` text NOT NULL,
	`agent` text NOT NULL,
	`kept` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`operator`) REFERENCES `operator`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `operator_session_operator` ON `operator_session` (`operator`);--> statement-breakpoint
CREATE TABLE `setup_link` (
	`digest` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `sign_in_throttle` (
	`key` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`window_started_at` integer NOT NULL,
	`blocked_until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_copy` (
	`run` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_damage` (
	`sha256` text PRIMARY KEY NOT NULL,
	`fault` text NOT NULL,
	`found_at` integer NOT NULL,
	`seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_day` (
	`target` integer NOT NULL,
	`date` integer NOT NULL,
	`latest` integer NOT NULL,
	`good` integer,
	`failing` integer NOT NULL,
	PRIMARY KEY(`target`, `date`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `archive_day_by_date` ON `archive_day` (`date`,`target`);--> statement-breakpoint
CREATE INDEX `archive_day_failing` ON `archive_day` (`target`,`date`) WHERE failing = 1;--> statement-breakpoint
CREATE TABLE `archive_object` (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` blob NOT NULL,
	`bytes` integer NOT NULL,
	`stored_bytes` integer NOT NULL,
	`stored_sha256` blob NOT NULL,
	`content` blob NOT NULL,
	`rows` integer NOT NULL,
	`stored_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_object_name` ON `archive_object` (`sha256`);--> statement-breakpoint
CREATE TABLE `archive_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`bytes` integer NOT NULL,
	`packed_at` integer NOT NULL,
	`loose` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `archive_pack_path` ON `archive_pack` (`path`);--> statement-breakpoint
CREATE TABLE `archive_place` (
	`object` integer PRIMARY KEY NOT NULL,
	`pack` integer NOT NULL,
	`start` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_place_of_pack` ON `archive_place` (`pack`);--> statement-breakpoint
CREATE TABLE `archive_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`target` integer NOT NULL,
	`date` integer NOT NULL,
	`range_from` integer,
	`attempted_at` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`outcome` integer NOT NULL,
	`category` integer,
	`failure_code` text,
	`next_retry_at` integer,
	`requests` integer NOT NULL,
	`object` integer,
	`complete` integer NOT NULL,
	`notes` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_report_of_target` ON `archive_report` (`target`,`date`);--> statement-breakpoint
CREATE INDEX `archive_report_of_object` ON `archive_report` (`object`);--> statement-breakpoint
CREATE TABLE `archive_run` (
	`run` integer PRIMARY KEY NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_skip` (
	`target` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_standing` (
	`target` integer PRIMARY KEY NOT NULL,
	`dates` integer NOT NULL,
	`failing` integer NOT NULL,
	`last_date` integer NOT NULL,
	`latest` integer NOT NULL,
	`usable` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_tally` (
	`date` integer NOT NULL,
	`provider` text NOT NULL,
	`family` text NOT NULL,
	`outcome` integer NOT NULL,
	`category` integer NOT NULL,
	`sites` integer NOT NULL,
	PRIMARY KEY(`date`, `provider`, `family`, `outcome`, `category`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `archive_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`family` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `archive_target_key` ON `archive_target` (`asset`,`provider`,`connection_revision`,`property`,`family`);--> statement-breakpoint
CREATE TABLE `insight` (
	`id` integer PRIMARY KEY NOT NULL,
	`target` integer NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`family` text NOT NULL,
	`date` integer NOT NULL,
	`report` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `insight_key` ON `insight` (`target`,`date`);--> statement-breakpoint
CREATE INDEX `insight_of_asset` ON `insight` (`asset`,`provider`,`family`,`date`);--> statement-breakpoint
CREATE TABLE `flag` (
	`id` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`rule` text,
	`source` text DEFAULT '' NOT NULL,
	`subject` text NOT NULL,
	`origin` text NOT NULL,
	`severity` text NOT NULL,
	`kind` text NOT NULL,
	`metric` text,
	`message` text NOT NULL,
	`status` text NOT NULL,
	`rule_inputs` text,
	`raised_at` integer NOT NULL,
	`resolved_at` integer,
	`resolution` text,
	`acked_at` integer,
	`acked_by` text,
	`snoozed_until` integer,
	`tuned_at` integer,
	`incident` text,
	`hypothesis` text,
	`renews` text,
	`renewed_by` text,
	`chain` text DEFAULT '' NOT NULL,
	`since` integer DEFAULT 0 NOT NULL,
	`reports` integer DEFAULT 1 NOT NULL,
	CONSTRAINT "flag_milestone_is_info" CHECK("flag"."kind" <> 'milestone' OR "flag"."severity" = 'info'),
	CONSTRAINT "flag_status" CHECK("flag"."status" IN ('open', 'resolved'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_per_rule` ON `flag` (`rule`,`asset`,`source`,`subject`) WHERE "flag"."status" = 'open' AND "flag"."rule" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_flow_per_metric` ON `flag` (`asset`,`source`,`metric`) WHERE "flag"."status" = 'open' AND "flag"."rule" IN ('flow-drop', 'flow-rise', 'percent-drop');--> statement-breakpoint
CREATE INDEX `flag_by_asset` ON `flag` (`asset`,`raised_at`);--> statement-breakpoint
CREATE INDEX `flag_by_time` ON `flag` (`raised_at`);--> statement-breakpoint
CREATE INDEX `flag_open` ON `flag` (`asset`,`severity`,`snoozed_until`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_open_worst` ON `flag` (CASE severity WHEN 'error' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END,`since`,`id`,`snoozed_until`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_open_by_time` ON `flag` (`raised_at`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_over` ON `flag` (`resolved_at`,`id`,`severity`,`raised_at`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_over_of_asset` ON `flag` (`asset`,`resolved_at`,`id`,`severity`,`raised_at`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_over_of_rule` ON `flag` (`rule`,`resolved_at`,`id`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_begun` ON `flag` (`raised_at`,`severity`) WHERE renews IS NULL AND resolution IS NOT 'older_report';--> statement-breakpoint
CREATE INDEX `flag_begun_of_asset` ON `flag` (`asset`,`raised_at`,`severity`) WHERE renews IS NULL AND resolution IS NOT 'older_report';--> statement-breakpoint
CREATE INDEX `flag_flow_over` ON `flag` (`asset`,`source`,`metric`,`resolved_at`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL AND "flag"."rule" IN ('flow-drop', 'flow-rise', 'percent-drop');--> statement-breakpoint
CREATE INDEX `flag_milestone` ON `flag` (`asset`,`source`,`metric`,rule_inputs ->> '$.milestone') WHERE "flag"."rule" = 'milestone-total';--> statement-breakpoint
CREATE TABLE `flag_record` (
	`id` integer PRIMARY KEY NOT NULL,
	`flag` text NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`actor` text NOT NULL,
	`data` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `flag_record_acts` ON `flag_record` (`flag`,`id`) WHERE "flag_record"."type" <> 'evidence';--> statement-breakpoint
CREATE INDEX `flag_record_evidence` ON `flag_record` (`flag`,`id`) WHERE "flag_record"."type" = 'evidence';--> statement-breakpoint
CREATE TABLE `flag_snooze` (
	`rule` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`until` integer NOT NULL,
	`set_at` integer NOT NULL,
	`set_by` text NOT NULL,
	PRIMARY KEY(`rule`, `asset`, `source`, `subject`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `monitoring_event` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`change` text NOT NULL,
	`reason` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `monitoring_failure` (
	`kind` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`since` integer NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`kind`, `asset`, `source`, `subject`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `monitoring_failure_by_asset` ON `monitoring_failure` (`asset`);--> statement-breakpoint
CREATE TABLE `health_pause` (
	`capability` text NOT NULL,
	`asset` text NOT NULL,
	`paused_at` integer NOT NULL,
	`paused_by` text NOT NULL,
	`until` integer,
	PRIMARY KEY(`capability`, `asset`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `refused_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`route` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`faults` text NOT NULL,
	`more` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refused_report_kind` ON `refused_report` (`asset`,`route`,`code`,`faults`);--> statement-breakpoint
CREATE INDEX `refused_report_newest` ON `refused_report` (`asset`,`route`,`last_at`);--> statement-breakpoint
CREATE TABLE `refused_streak` (
	`asset` text NOT NULL,
	`route` text NOT NULL,
	`count` integer NOT NULL,
	`last_at` integer NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`faults` text NOT NULL,
	PRIMARY KEY(`asset`, `route`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `health_event` (
	`id` integer PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`at` integer NOT NULL,
	`target` integer NOT NULL,
	`attempt` text NOT NULL,
	`change` text NOT NULL,
	`category` text NOT NULL,
	`category_before` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `health_event_id` ON `health_event` (`event`);--> statement-breakpoint
CREATE INDEX `health_event_at` ON `health_event` (`at`,`id`);--> statement-breakpoint
CREATE INDEX `health_event_of_target` ON `health_event` (`target`,`at`,`id`);--> statement-breakpoint
CREATE TABLE `health_state` (
	`target` integer PRIMARY KEY NOT NULL,
	`latest_attempt` text NOT NULL,
	`latest_started_at` integer NOT NULL,
	`category` text,
	`code` text,
	`next_retry_at` integer,
	`success_attempt` text,
	`success_started_at` integer,
	`covered_date` text,
	`failing_since` integer,
	`recorded_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `health_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`capability` text NOT NULL,
	`asset` text NOT NULL,
	`target` text NOT NULL,
	`family` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `health_target_key` ON `health_target` (`workspace`,`provider`,`connection_revision`,`capability`,`asset`,`target`,`family`);--> statement-breakpoint
CREATE INDEX `health_target_single` ON `health_target` (`id`) WHERE family = '';--> statement-breakpoint
CREATE TABLE `stored_size` (
	`date` text NOT NULL,
	`kind` text NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`date`, `kind`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `ledger_entry` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`period` text NOT NULL,
	`status` text,
	`change` text,
	`ref` text,
	`minutes` integer,
	`rate` integer,
	`amount` integer NOT NULL,
	`low` integer,
	`high` integer,
	`currency` text NOT NULL,
	`currency_basis` text NOT NULL,
	`corrects` integer,
	`recorded_at` integer NOT NULL,
	`recorded_by` text NOT NULL,
	FOREIGN KEY (`corrects`) REFERENCES `ledger_entry`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_entry_kind" CHECK("ledger_entry"."kind" IN ('revenue', 'inference', 'external_api', 'operator_minutes')),
	CONSTRAINT "ledger_entry_revenue" CHECK(("ledger_entry"."kind" = 'revenue') = ("ledger_entry"."status" IS NOT NULL)),
	CONSTRAINT "ledger_entry_range" CHECK("ledger_entry"."low" <= "ledger_entry"."amount" AND "ledger_entry"."amount" <= "ledger_entry"."high")
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_entry_identity` ON `ledger_entry` (`source`,`period`,`asset`,`ref`);--> statement-breakpoint
CREATE INDEX `ledger_entry_period` ON `ledger_entry` (`period`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_entry_asset` ON `ledger_entry` (`asset`,`period`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entry_corrects` ON `ledger_entry` (`corrects`);--> statement-breakpoint
CREATE TABLE `channel` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`edit_revision` integer NOT NULL,
	`connection_revision` text NOT NULL,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`rules` text NOT NULL,
	`added_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`paused_at` integer,
	`removed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_name` ON `channel` (`name`) WHERE "channel"."removed_at" IS NULL;--> statement-breakpoint
CREATE TABLE `notice` (
	`id` text PRIMARY KEY NOT NULL,
	`channel` text NOT NULL,
	`channel_kind` text NOT NULL,
	`type` text NOT NULL,
	`asset` text,
	`day` text,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_attempt_at` integer,
	`delivered_at` integer,
	`receipt` text,
	`outcome` text NOT NULL,
	`code` text,
	`content` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_one_digest_a_day` ON `notice` (`channel`,`day`);--> statement-breakpoint
CREATE INDEX `notice_by_time` ON `notice` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notice_waiting` ON `notice` (`channel`,`created_at`,`id`) WHERE "notice"."outcome" IN ('pending', 'held');--> statement-breakpoint
CREATE TABLE `notice_cause` (
	`cause` text PRIMARY KEY NOT NULL,
	`ended_at` integer,
	`told` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `notice_channel` (
	`channel` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`beat_at` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `notice_item` (
	`id` integer PRIMARY KEY NOT NULL,
	`notice` text NOT NULL,
	`what` text NOT NULL,
	`thing` text NOT NULL,
	`asset` text NOT NULL,
	`severity` text NOT NULL,
	FOREIGN KEY (`notice`) REFERENCES `notice`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `notice_item_of` ON `notice_item` (`notice`);--> statement-breakpoint
CREATE INDEX `notice_item_by_thing` ON `notice_item` (`thing`);--> statement-breakpoint
CREATE INDEX `notice_item_by_asset` ON `notice_item` (`asset`);--> statement-breakpoint
CREATE TABLE `attachment` (
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`credential` text NOT NULL,
	`property` text NOT NULL,
	`attached_at` integer NOT NULL,
	PRIMARY KEY(`asset`, `provider`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `attachment_by_credential` ON `attachment` (`credential`,`provider`,`property`);--> statement-breakpoint
CREATE TABLE `credential` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`providers` text NOT NULL,
	`label` text NOT NULL,
	`account` text NOT NULL,
	`edit_revision` integer NOT NULL,
	`connection_revision` text NOT NULL,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`added_at` integer NOT NULL,
	`connected_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `credential_account` ON `credential` (`kind`,`account`);--> statement-breakpoint
CREATE TABLE `detachment` (
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`detached_at` integer NOT NULL,
	`detached_by` text NOT NULL,
	PRIMARY KEY(`asset`, `provider`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `property` (
	`credential` text NOT NULL,
	`provider` text NOT NULL,
	`property` text NOT NULL,
	`name` text NOT NULL,
	`time_zone` text,
	`usable` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`credential`, `provider`, `property`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `codebase_body` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `codebase_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`bodies` integer NOT NULL,
	`bytes` integer NOT NULL,
	`data` blob NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codebase_pack_by_asset` ON `codebase_pack` (`asset`,`last`);--> statement-breakpoint
CREATE TABLE `codebase_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`ignored` text,
	`measures` text NOT NULL,
	`tools` text,
	`notes` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codebase_report_revision` ON `codebase_report` (`asset`,`date`,`revision`);--> statement-breakpoint
CREATE TABLE `pulse` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`ignored` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pulse_revision` ON `pulse` (`asset`,`date`,`revision`);--> statement-breakpoint
CREATE TABLE `pulse_body` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pulse_freshness` (
	`asset` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL,
	`ahead_seen_at` integer
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `pulse_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`bodies` integer NOT NULL,
	`bytes` integer NOT NULL,
	`data` blob NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pulse_pack_by_asset` ON `pulse_pack` (`asset`,`last`);--> statement-breakpoint
CREATE TABLE `pulse_waiting` (
	`asset` text NOT NULL,
	`pulse` integer NOT NULL,
	PRIMARY KEY(`asset`, `pulse`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `series` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`metric` text NOT NULL,
	`last_day` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `series_key` ON `series` (`asset`,`source`,`metric`);--> statement-breakpoint
CREATE TABLE `series_block` (
	`place` integer PRIMARY KEY NOT NULL,
	`days` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `flow_progress` (
	`report` integer PRIMARY KEY NOT NULL,
	`done` integer NOT NULL,
	`tests` integer NOT NULL,
	`not_tested` integer NOT NULL,
	`raised` integer NOT NULL,
	`expected` real NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `flow_tally` (
	`date` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`tests` integer NOT NULL,
	`not_tested` integer NOT NULL,
	`raised` integer NOT NULL,
	`expected` real NOT NULL,
	PRIMARY KEY(`date`, `asset`, `source`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `flow_verdict` (
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`metric` text NOT NULL,
	`judged_at` integer NOT NULL,
	`date` text NOT NULL,
	`reason` text,
	`phi` real,
	`basis` text,
	`spread_days` integer,
	`verdict` text NOT NULL,
	PRIMARY KEY(`asset`, `source`, `metric`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `flow_verdict_listed` ON `flow_verdict` (`asset`,`metric`,`source`,`date`,`reason`,`phi`,`basis`,`spread_days`);--> statement-breakpoint
CREATE TABLE `panel` (
	`id` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`keyword` text NOT NULL,
	`location` integer NOT NULL,
	`language` text NOT NULL,
	`device` text NOT NULL,
	`depth` integer NOT NULL,
	`every` integer NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `panel_of_asset` ON `panel` (`asset`);--> statement-breakpoint
CREATE TABLE `panel_result` (
	`id` integer PRIMARY KEY NOT NULL,
	`outcome` text NOT NULL,
	`code` text,
	`position` integer,
	`rank_absolute` integer,
	`url` text,
	`task` text,
	`cost` text,
	`charged` integer,
	`next_retry_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `panel_run` (
	`id` integer PRIMARY KEY NOT NULL,
	`panel` text NOT NULL,
	`run` integer NOT NULL,
	`connection_revision` text NOT NULL,
	`asked_at` integer NOT NULL,
	`price` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `panel_run_of_panel` ON `panel_run` (`panel`,`id`);--> statement-breakpoint
CREATE INDEX `panel_run_asked` ON `panel_run` (`asked_at`);--> statement-breakpoint
CREATE TABLE `live_lease` (
	`asset` text NOT NULL,
	`kind` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`holder` text NOT NULL,
	`taken_at` integer NOT NULL,
	`held_until` integer NOT NULL,
	`seen_at` integer,
	`failed_at` integer,
	`category` text,
	`code` text,
	PRIMARY KEY(`asset`, `kind`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `observation` (
	`id` integer PRIMARY KEY NOT NULL,
	`attempt` integer NOT NULL,
	`target` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`days` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `observation_of_target` ON `observation` (`target`,`id`);--> statement-breakpoint
CREATE TABLE `observation_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`target` integer NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`first_day` integer NOT NULL,
	`last_day` integer NOT NULL,
	`data` blob NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `observation_pack_of_target` ON `observation_pack` (`target`,`last`);--> statement-breakpoint
CREATE TABLE `pull_attempt` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`target` integer NOT NULL,
	`started_at` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`outcome` integer NOT NULL,
	`category` integer,
	`next_retry_at` integer,
	`requests` integer NOT NULL,
	`changed` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `pull_attempt_of_target` ON `pull_attempt` (`target`);--> statement-breakpoint
CREATE INDEX `pull_attempt_of_run` ON `pull_attempt` (`run`);--> statement-breakpoint
CREATE TABLE `pull_attempt_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`first_run` integer NOT NULL,
	`last_run` integer NOT NULL,
	`began_from` integer NOT NULL,
	`began_to` integer NOT NULL,
	`outcomes` integer NOT NULL,
	`categories` integer NOT NULL,
	`data` blob NOT NULL,
	`checksum` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pull_attempt_pack_last` ON `pull_attempt_pack` (`last`);--> statement-breakpoint
CREATE INDEX `pull_attempt_pack_holds` ON `pull_attempt_pack` (`last`,`first`,`first_run`,`last_run`,`began_from`,`began_to`,`outcomes`,`categories`);--> statement-breakpoint
CREATE TABLE `pull_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`time_zone` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pull_target_key` ON `pull_target` (`asset`,`provider`,`connection_revision`,`property`,`time_zone`);--> statement-breakpoint
CREATE TABLE `signal_waiting` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `signal_waiting_key` ON `signal_waiting` (`asset`,`source`);--> statement-breakpoint
CREATE TABLE `annotation` (
	`id` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`instant` text NOT NULL,
	`at` text NOT NULL,
	`at_ms` integer NOT NULL,
	`kind` text NOT NULL,
	`ref` text NOT NULL,
	`note` text,
	`received_at` integer NOT NULL,
	`posted_by` text NOT NULL,
	CONSTRAINT "annotation_kind" CHECK("annotation"."kind" IN ('deploy', 'model-change', 'config', 'incident', 'autonomy-change', 'external'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `annotation_identity` ON `annotation` (`asset`,`instant`,`kind`,`ref`);--> statement-breakpoint
CREATE INDEX `annotation_by_time` ON `annotation` (`at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `annotation_by_asset` ON `annotation` (`asset`,`at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `annotation_by_kind` ON `annotation` (`kind`,`at_ms`);--> statement-breakpoint
CREATE INDEX `annotation_consent_step` ON `annotation` (`asset`,`at_ms`) WHERE kind = 'config' AND substr(ref, 1, 12) = 'consent-mode';--> statement-breakpoint
CREATE TABLE `annotation_strike` (
	`id` integer PRIMARY KEY NOT NULL,
	`annotation` text NOT NULL,
	`struck` integer NOT NULL,
	`reason` text,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	FOREIGN KEY (`annotation`) REFERENCES `annotation`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "annotation_strike_struck" CHECK("annotation_strike"."struck" IN (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `annotation_strike_annotation` ON `annotation_strike` (`annotation`,`id`);--> statement-breakpoint
CREATE TABLE `calendar` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`asset` text NOT NULL,
	`connection_revision` text NOT NULL,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`added_at` integer NOT NULL,
	`coming` text NOT NULL,
	`notes` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `calendar_name_unique` ON `calendar` (`name`);--> statement-breakpoint
CREATE TABLE `constants_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`took_effect_at` integer NOT NULL,
	`author` text NOT NULL,
	`digest` text NOT NULL,
	`document` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `asset` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text,
	`lifecycle` text NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text NOT NULL,
	`went_live_at` integer,
	CONSTRAINT "asset_lifecycle" CHECK("asset"."lifecycle" IN ('live', 'pre-launch', 'retired'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `asset_family` (
	`asset` text NOT NULL,
	`family` text NOT NULL,
	`storage` text NOT NULL,
	PRIMARY KEY(`asset`, `family`),
	FOREIGN KEY (`asset`) REFERENCES `asset`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `asset_group` (
	`asset` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`asset`) REFERENCES `asset`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `setting_token_use` (
	`digest` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`last_used_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `site_token` (
	`id` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revoked_by` text,
	`last_used_at` integer,
	FOREIGN KEY (`asset`) REFERENCES `asset`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `site_token_digest_unique` ON `site_token` (`digest`);--> statement-breakpoint
CREATE INDEX `site_token_asset` ON `site_token` (`asset`);--> statement-breakpoint
CREATE TABLE `job_end` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`reports` text NOT NULL,
	`fault` text,
	`monitoring` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `job_end_of_run` ON `job_end` (`run`);--> statement-breakpoint
CREATE TABLE `job_lease` (
	`job` text PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`holder` text NOT NULL,
	`taken_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `job_run` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` text NOT NULL,
	`job` text NOT NULL,
	`started_at` integer NOT NULL,
	`asked_by` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `job_run_run` ON `job_run` (`run`);--> statement-breakpoint
CREATE INDEX `job_run_of_job` ON `job_run` (`job`,`id`);--> statement-breakpoint
CREATE TABLE `service_state` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`changed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TRIGGER `annotation_no_update` BEFORE UPDATE ON `annotation` BEGIN SELECT RAISE(ABORT, 'annotation is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `annotation_no_delete` BEFORE DELETE ON `annotation` BEGIN SELECT RAISE(ABORT, 'annotation is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `annotation_strike_no_update` BEFORE UPDATE ON `annotation_strike` BEGIN SELECT RAISE(ABORT, 'annotation_strike is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `annotation_strike_no_delete` BEFORE DELETE ON `annotation_strike` BEGIN SELECT RAISE(ABORT, 'annotation_strike is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_object_no_update` BEFORE UPDATE ON `archive_object` BEGIN SELECT RAISE(ABORT, 'archive_object is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_object_no_delete` BEFORE DELETE ON `archive_object` BEGIN SELECT RAISE(ABORT, 'archive_object is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_report_no_update` BEFORE UPDATE ON `archive_report` BEGIN SELECT RAISE(ABORT, 'archive_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_report_no_delete` BEFORE DELETE ON `archive_report` BEGIN SELECT RAISE(ABORT, 'archive_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_target_no_update` BEFORE UPDATE ON `archive_target` BEGIN SELECT RAISE(ABORT, 'archive_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `archive_target_no_delete` BEFORE DELETE ON `archive_target` BEGIN SELECT RAISE(ABORT, 'archive_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_no_delete` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_report_no_update` BEFORE UPDATE ON `codebase_report` BEGIN SELECT RAISE(ABORT, 'codebase_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_report_no_delete` BEFORE DELETE ON `codebase_report` BEGIN SELECT RAISE(ABORT, 'codebase_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `constants_version_no_update` BEFORE UPDATE ON `constants_version` BEGIN SELECT RAISE(ABORT, 'constants_version is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `constants_version_no_delete` BEFORE DELETE ON `constants_version` BEGIN SELECT RAISE(ABORT, 'constants_version is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `flag_record_no_update` BEFORE UPDATE ON `flag_record` BEGIN SELECT RAISE(ABORT, 'flag_record is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `flag_record_no_delete` BEFORE DELETE ON `flag_record` BEGIN SELECT RAISE(ABORT, 'flag_record is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_event_no_update` BEFORE UPDATE ON `health_event` BEGIN SELECT RAISE(ABORT, 'health_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_event_no_delete` BEFORE DELETE ON `health_event` BEGIN SELECT RAISE(ABORT, 'health_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_target_no_update` BEFORE UPDATE ON `health_target` BEGIN SELECT RAISE(ABORT, 'health_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_target_no_delete` BEFORE DELETE ON `health_target` BEGIN SELECT RAISE(ABORT, 'health_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_end_no_update` BEFORE UPDATE ON `job_end` BEGIN SELECT RAISE(ABORT, 'job_end is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_end_no_delete` BEFORE DELETE ON `job_end` BEGIN SELECT RAISE(ABORT, 'job_end is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_run_no_update` BEFORE UPDATE ON `job_run` BEGIN SELECT RAISE(ABORT, 'job_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_run_no_delete` BEFORE DELETE ON `job_run` BEGIN SELECT RAISE(ABORT, 'job_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_entry_no_update` BEFORE UPDATE ON `ledger_entry` BEGIN SELECT RAISE(ABORT, 'ledger_entry is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_entry_no_delete` BEFORE DELETE ON `ledger_entry` BEGIN SELECT RAISE(ABORT, 'ledger_entry is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `monitoring_event_no_update` BEFORE UPDATE ON `monitoring_event` BEGIN SELECT RAISE(ABORT, 'monitoring_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `monitoring_event_no_delete` BEFORE DELETE ON `monitoring_event` BEGIN SELECT RAISE(ABORT, 'monitoring_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_result_no_update` BEFORE UPDATE ON `panel_result` BEGIN SELECT RAISE(ABORT, 'panel_result is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_result_no_delete` BEFORE DELETE ON `panel_result` BEGIN SELECT RAISE(ABORT, 'panel_result is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_run_no_update` BEFORE UPDATE ON `panel_run` BEGIN SELECT RAISE(ABORT, 'panel_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_run_no_delete` BEFORE DELETE ON `panel_run` BEGIN SELECT RAISE(ABORT, 'panel_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_target_no_update` BEFORE UPDATE ON `pull_target` BEGIN SELECT RAISE(ABORT, 'pull_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_target_no_delete` BEFORE DELETE ON `pull_target` BEGIN SELECT RAISE(ABORT, 'pull_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_no_update` BEFORE UPDATE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_no_delete` BEFORE DELETE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_goes_packed` BEFORE DELETE ON `codebase_body` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'codebase_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_stays` BEFORE UPDATE ON `codebase_body` BEGIN SELECT RAISE(ABORT, 'codebase_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_goes_grown` BEFORE DELETE ON `codebase_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'codebase_pack goes only into one that holds it'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_stays` BEFORE UPDATE ON `codebase_pack` BEGIN SELECT RAISE(ABORT, 'codebase_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_goes_packed` BEFORE DELETE ON `observation` WHEN NOT EXISTS (
	SELECT 1 FROM `observation_pack` WHERE `target` = OLD.`target` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) OR NOT EXISTS (
	SELECT 1 FROM `observation` WHERE `target` = OLD.`target` AND `id` > OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'observation goes only into a pack, and the newest of its target stays'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_follows` BEFORE INSERT ON `observation_pack` WHEN NEW.`last` < NEW.`first` OR NEW.`first` <> (
	SELECT min(`id`) FROM `observation` WHERE `target` = NEW.`target` AND `id` > coalesce(
		(SELECT max(`last`) FROM `observation_pack` WHERE `target` = NEW.`target`), 0
	)
) BEGIN SELECT RAISE(ABORT, 'observation_pack leaves out no observation'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_is_kept` BEFORE DELETE ON `observation_pack` BEGIN SELECT RAISE(ABORT, 'observation_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_stays` BEFORE UPDATE ON `observation_pack` BEGIN SELECT RAISE(ABORT, 'observation_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_stays` BEFORE UPDATE ON `observation` BEGIN SELECT RAISE(ABORT, 'observation is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_goes_packed` BEFORE DELETE ON `pull_attempt` WHEN NOT EXISTS (
	SELECT 1 FROM `pull_attempt_pack` WHERE `first` <= OLD.`id` AND `last` >= OLD.`id`
) OR NOT EXISTS (
	SELECT 1 FROM `pull_attempt` WHERE `target` = OLD.`target` AND `id` > OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'pull_attempt goes only into a pack, and the latest of its target stays'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_follows` BEFORE INSERT ON `pull_attempt_pack` WHEN NEW.`last` < NEW.`first` OR NEW.`first` <> 1 + coalesce(
	(SELECT max(`last`) FROM `pull_attempt_pack`), 0
) BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack leaves out no attempt'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_is_kept` BEFORE DELETE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_stays` BEFORE UPDATE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_stays` BEFORE UPDATE ON `pull_attempt` BEGIN SELECT RAISE(ABORT, 'pull_attempt is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_goes_packed` BEFORE DELETE ON `pulse_body` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'pulse_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_stays` BEFORE UPDATE ON `pulse_body` BEGIN SELECT RAISE(ABORT, 'pulse_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_goes_grown` BEFORE DELETE ON `pulse_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'pulse_pack goes only into one that holds it'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_stays` BEFORE UPDATE ON `pulse_pack` BEGIN SELECT RAISE(ABORT, 'pulse_pack is append-only'); END;
