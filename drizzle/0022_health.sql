CREATE TABLE `asset_group` (
	`asset` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`asset`) REFERENCES `asset`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `asset_group_twice` ON `asset_group` (`asset`,`name`);--> statement-breakpoint
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
CREATE INDEX `detachment_twice` ON `detachment` (`asset`,`provider`,`connection_revision`,`property`,`detached_at`,`detached_by`);--> statement-breakpoint
CREATE TABLE `health_event` (
	`id` integer PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`at` integer NOT NULL,
	`target` integer NOT NULL,
	`attempt` text NOT NULL,
	`change` text NOT NULL,
	`category` text NOT NULL,
	`category_before` text,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `health_event_id` ON `health_event` (`event`);--> statement-breakpoint
CREATE INDEX `health_event_at` ON `health_event` (`at`,`id`);--> statement-breakpoint
CREATE TABLE `health_pause` (
	`capability` text NOT NULL,
	`asset` text NOT NULL,
	`paused_at` integer NOT NULL,
	`paused_by` text NOT NULL,
	`until` integer,
	PRIMARY KEY(`capability`, `asset`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `health_pause_twice` ON `health_pause` (`capability`,`asset`,`paused_at`,`paused_by`,`until`);--> statement-breakpoint
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
CREATE INDEX `health_state_twice` ON `health_state` (`target`,`latest_attempt`,`latest_started_at`,`category`,`code`,`next_retry_at`,`success_attempt`,`success_started_at`,`covered_date`,`failing_since`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `health_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`capability` text NOT NULL,
	`asset` text NOT NULL,
	`target` text NOT NULL,
	`family` text NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `health_target_key` ON `health_target` (`workspace`,`provider`,`connection_revision`,`capability`,`asset`,`target`,`family`);--> statement-breakpoint
CREATE TABLE `operator_look` (
	`operator` text PRIMARY KEY NOT NULL,
	`looked_before` integer,
	`last_look_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `operator_look_twice` ON `operator_look` (`operator`,`looked_before`,`last_look_at`);--> statement-breakpoint
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
CREATE INDEX `wall_link_twice` ON `wall_link` (`id`,`name`,`digest`,`created_at`,`created_by`,`revoked_at`,`revoked_by`,`last_used_at`);
--> statement-breakpoint
CREATE TRIGGER `health_event_no_update` BEFORE UPDATE ON `health_event` BEGIN SELECT RAISE(ABORT, 'health_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_event_no_delete` BEFORE DELETE ON `health_event` BEGIN SELECT RAISE(ABORT, 'health_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_target_no_update` BEFORE UPDATE ON `health_target` BEGIN SELECT RAISE(ABORT, 'health_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `health_target_no_delete` BEFORE DELETE ON `health_target` BEGIN SELECT RAISE(ABORT, 'health_target is append-only'); END;
