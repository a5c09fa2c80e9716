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
CREATE INDEX `attachment_twice` ON `attachment` (`asset`,`provider`,`credential`,`property`,`attached_at`);--> statement-breakpoint
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
CREATE INDEX `credential_twice` ON `credential` (`id`,`kind`,`providers`,`label`,`account`,`edit_revision`,`connection_revision`,`key_id`,`sealed`,`added_at`,`connected_at`);--> statement-breakpoint
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
CREATE INDEX `property_twice` ON `property` (`credential`,`provider`,`property`,`name`,`time_zone`,`usable`,`seen_at`);--> statement-breakpoint
CREATE TABLE `job_end` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`reports` text NOT NULL,
	`row_digest` integer
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
CREATE INDEX `job_lease_twice` ON `job_lease` (`job`,`run`,`holder`,`taken_at`);--> statement-breakpoint
CREATE TABLE `job_run` (
	`id` integer PRIMARY KEY NOT NULL,
	`run` text NOT NULL,
	`job` text NOT NULL,
	`started_at` integer NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `job_run_run` ON `job_run` (`run`);--> statement-breakpoint
CREATE INDEX `job_run_of_job` ON `job_run` (`job`,`id`);--> statement-breakpoint
CREATE TABLE `observation` (
	`id` integer PRIMARY KEY NOT NULL,
	`attempt` integer NOT NULL,
	`target` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`days` blob NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `observation_of_target` ON `observation` (`target`,`id`);--> statement-breakpoint
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
	`changed` integer NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `pull_target` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`time_zone` text NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pull_target_key` ON `pull_target` (`asset`,`provider`,`connection_revision`,`property`,`time_zone`);--> statement-breakpoint
CREATE TABLE `signal_waiting` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`since` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `signal_waiting_key` ON `signal_waiting` (`asset`,`source`);--> statement-breakpoint
CREATE UNIQUE INDEX `signal_waiting_twice` ON `signal_waiting` (`id`,`asset`,`source`,`since`);
--> statement-breakpoint
CREATE TRIGGER `job_end_no_update` BEFORE UPDATE ON `job_end` BEGIN SELECT RAISE(ABORT, 'job_end is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_end_no_delete` BEFORE DELETE ON `job_end` BEGIN SELECT RAISE(ABORT, 'job_end is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_run_no_update` BEFORE UPDATE ON `job_run` BEGIN SELECT RAISE(ABORT, 'job_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `job_run_no_delete` BEFORE DELETE ON `job_run` BEGIN SELECT RAISE(ABORT, 'job_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_no_update` BEFORE UPDATE ON `observation` BEGIN SELECT RAISE(ABORT, 'observation is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_no_delete` BEFORE DELETE ON `observation` BEGIN SELECT RAISE(ABORT, 'observation is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_no_update` BEFORE UPDATE ON `pull_attempt` BEGIN SELECT RAISE(ABORT, 'pull_attempt is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_no_delete` BEFORE DELETE ON `pull_attempt` BEGIN SELECT RAISE(ABORT, 'pull_attempt is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_target_no_update` BEFORE UPDATE ON `pull_target` BEGIN SELECT RAISE(ABORT, 'pull_target is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_target_no_delete` BEFORE DELETE ON `pull_target` BEGIN SELECT RAISE(ABORT, 'pull_target is append-only'); END;
