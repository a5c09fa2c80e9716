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
CREATE TABLE `asset` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text,
	`lifecycle` text NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text NOT NULL,
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
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`act` text NOT NULL,
	`target` text NOT NULL,
	`detail` text NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `codebase_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`measures` text NOT NULL,
	`tools` text,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codebase_report_revision` ON `codebase_report` (`asset`,`date`,`revision`);--> statement-breakpoint
CREATE TABLE `constants_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`took_effect_at` integer NOT NULL,
	`author` text NOT NULL,
	`digest` text NOT NULL,
	`document` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `flag` (
	`id` text PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`rule` text,
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
	CONSTRAINT "flag_milestone_is_info" CHECK("flag"."kind" <> 'milestone' OR "flag"."severity" = 'info'),
	CONSTRAINT "flag_status" CHECK("flag"."status" IN ('open', 'resolved'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_per_rule` ON `flag` (`rule`,`asset`,`subject`) WHERE "flag"."status" = 'open' AND "flag"."rule" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_flow_per_metric` ON `flag` (`asset`,`metric`) WHERE "flag"."status" = 'open' AND "flag"."rule" IN ('flow-drop', 'flow-rise', 'percent-drop');--> statement-breakpoint
CREATE INDEX `flag_by_asset` ON `flag` (`asset`,`raised_at`,`id`);--> statement-breakpoint
CREATE INDEX `flag_by_time` ON `flag` (`raised_at`,`id`);--> statement-breakpoint
CREATE INDEX `flag_open` ON `flag` (`asset`,`severity`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE TABLE `flag_record` (
	`id` integer PRIMARY KEY NOT NULL,
	`flag` text NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`actor` text NOT NULL,
	`data` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `flag_record_by_flag` ON `flag_record` (`flag`,`id`);--> statement-breakpoint
CREATE INDEX `flag_record_acts` ON `flag_record` (`flag`,`id`) WHERE "flag_record"."type" <> 'evidence';--> statement-breakpoint
CREATE TABLE `flag_snooze` (
	`rule` text NOT NULL,
	`asset` text NOT NULL,
	`subject` text NOT NULL,
	`until` integer NOT NULL,
	`set_at` integer NOT NULL,
	`set_by` text NOT NULL,
	PRIMARY KEY(`rule`, `asset`, `subject`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `flow_tally` (
	`date` text NOT NULL,
	`asset` text NOT NULL,
	`tests` integer NOT NULL,
	`not_tested` integer NOT NULL,
	`raised` integer NOT NULL,
	`expected` real NOT NULL,
	PRIMARY KEY(`date`, `asset`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `flow_verdict` (
	`asset` text NOT NULL,
	`metric` text NOT NULL,
	`judged_at` integer NOT NULL,
	`date` text NOT NULL,
	`verdict` text NOT NULL,
	PRIMARY KEY(`asset`, `metric`)
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `operator_session` (
	`digest` text PRIMARY KEY NOT NULL,
	`operator` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`confirmed_at` integer NOT NULL,
	`address` text NOT NULL,
	`agent` text NOT NULL,
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
CREATE TABLE `pulse` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pulse_revision` ON `pulse` (`asset`,`date`,`revision`);--> statement-breakpoint
CREATE INDEX `pulse_received` ON `pulse` (`asset`,`received_at`);--> statement-breakpoint
CREATE TABLE `pulse_freshness` (
	`asset` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL,
	`date` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pulse_reading` (
	`asset` text NOT NULL,
	`metric` text NOT NULL,
	`date` text NOT NULL,
	`pulse` integer NOT NULL,
	`last24h` integer,
	`avg7d` real,
	`total` integer,
	PRIMARY KEY(`asset`, `metric`, `date`)
) STRICT;
--> statement-breakpoint
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
CREATE TRIGGER `pulse_no_update` BEFORE UPDATE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_no_delete` BEFORE DELETE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
