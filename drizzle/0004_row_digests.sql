CREATE TABLE `row_digest_before` (
	`table` text NOT NULL,
	`row` text NOT NULL,
	`digest` integer NOT NULL,
	PRIMARY KEY(`table`, `row`)
) STRICT;
--> statement-breakpoint
ALTER TABLE `annotation` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `audit` ADD `mac` text;--> statement-breakpoint
ALTER TABLE `audit` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `codebase_report` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `constants_version` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `flag_record` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `monitoring_event` ADD `row_digest` integer;--> statement-breakpoint
ALTER TABLE `pulse` ADD `row_digest` integer;--> statement-breakpoint
CREATE INDEX `asset_twice` ON `asset` (`id`,`url`,`lifecycle`,`added_at`,`added_by`,`went_live_at`);--> statement-breakpoint
CREATE INDEX `asset_family_twice` ON `asset_family` (`asset`,`family`,`storage`);--> statement-breakpoint
CREATE INDEX `setting_token_use_twice` ON `setting_token_use` (`digest`,`asset`,`last_used_at`);--> statement-breakpoint
CREATE INDEX `site_token_twice` ON `site_token` (`id`,`asset`,`digest`,`created_at`,`created_by`,`revoked_at`,`revoked_by`,`last_used_at`);--> statement-breakpoint
CREATE INDEX `api_token_twice` ON `api_token` (`id`,`operator`,`digest`,`scopes`,`created_at`,`created_by`,`revoked_at`,`revoked_by`,`last_used_at`);--> statement-breakpoint
CREATE INDEX `operator_twice` ON `operator` (`id`,`name`,`kind`,`password_hash`,`created_at`,`password_changed_at`);--> statement-breakpoint
CREATE INDEX `operator_device_twice` ON `operator_device` (`operator`,`digest`,`created_at`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `operator_session_twice` ON `operator_session` (`digest`,`operator`,`created_at`,`last_seen_at`,`confirmed_at`,`address`,`agent`);--> statement-breakpoint
CREATE INDEX `setup_link_twice` ON `setup_link` (`digest`,`created_at`,`expires_at`,`used_at`);--> statement-breakpoint
CREATE INDEX `sign_in_throttle_twice` ON `sign_in_throttle` (`key`,`failures`,`window_started_at`,`blocked_until`);--> statement-breakpoint
CREATE INDEX `refused_report_twice` ON `refused_report` (`id`,`asset`,`route`,`status`,`code`,`faults`,`more`,`first_at`,`last_at`,`count`);--> statement-breakpoint
CREATE INDEX `refused_streak_twice` ON `refused_streak` (`asset`,`route`,`count`,`last_at`,`status`,`code`,`faults`);--> statement-breakpoint
CREATE INDEX `service_state_twice` ON `service_state` (`name`,`value`,`changed_at`);
