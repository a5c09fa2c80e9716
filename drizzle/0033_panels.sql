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
CREATE INDEX `panel_run_asked` ON `panel_run` (`asked_at`);
--> statement-breakpoint
CREATE TRIGGER `panel_result_no_update` BEFORE UPDATE ON `panel_result` BEGIN SELECT RAISE(ABORT, 'panel_result is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_result_no_delete` BEFORE DELETE ON `panel_result` BEGIN SELECT RAISE(ABORT, 'panel_result is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_run_no_update` BEFORE UPDATE ON `panel_run` BEGIN SELECT RAISE(ABORT, 'panel_run is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `panel_run_no_delete` BEFORE DELETE ON `panel_run` BEGIN SELECT RAISE(ABORT, 'panel_run is append-only'); END;
