CREATE TABLE `archive_damage` (
	`sha256` text PRIMARY KEY NOT NULL,
	`fault` text NOT NULL,
	`found_at` integer NOT NULL,
	`seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_damage_twice` ON `archive_damage` (`sha256`,`fault`,`found_at`,`seen_at`);--> statement-breakpoint
CREATE TABLE `archive_day` (
	`target` integer NOT NULL,
	`date` integer NOT NULL,
	`latest` integer NOT NULL,
	`good` integer,
	`failing` integer NOT NULL,
	PRIMARY KEY(`target`, `date`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_day_by_date` ON `archive_day` (`date`,`target`);--> statement-breakpoint
CREATE INDEX `archive_day_failing` ON `archive_day` (`failing`,`target`,`date`);--> statement-breakpoint
CREATE TABLE `archive_object` (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` blob NOT NULL,
	`bytes` integer NOT NULL,
	`stored_bytes` integer NOT NULL,
	`stored_sha256` blob NOT NULL,
	`content` blob NOT NULL,
	`rows` integer NOT NULL,
	`stored_at` integer NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_object_name` ON `archive_object` (`sha256`);--> statement-breakpoint
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
	`notes` integer NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_report_of_target` ON `archive_report` (`target`,`date`);--> statement-breakpoint
CREATE INDEX `archive_report_of_run` ON `archive_report` (`run`);--> statement-breakpoint
CREATE INDEX `archive_report_of_object` ON `archive_report` (`object`);--> statement-breakpoint
CREATE TABLE `archive_skip` (
	`target` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_skip_twice` ON `archive_skip` (`target`,`reason`,`seen_at`);--> statement-breakpoint
CREATE TABLE `archive_standing` (
	`target` integer PRIMARY KEY NOT NULL,
	`dates` integer NOT NULL,
	`failing` integer NOT NULL,
	`last_date` integer NOT NULL,
	`latest` integer NOT NULL,
	`usable` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `archive_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`family` text NOT NULL,
	`row_digest` integer
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
	`body` text NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `insight_key` ON `insight` (`target`,`date`);--> statement-breakpoint
CREATE INDEX `insight_of_asset` ON `insight` (`asset`,`provider`,`family`,`date`);
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
