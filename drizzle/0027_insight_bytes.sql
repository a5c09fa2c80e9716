-- A read model of the archive: the next run fills it.
DROP TABLE `insight`;--> statement-breakpoint
CREATE TABLE `insight` (
	`id` integer PRIMARY KEY NOT NULL,
	`target` integer NOT NULL,
	`asset` text NOT NULL,
	`provider` text NOT NULL,
	`family` text NOT NULL,
	`date` integer NOT NULL,
	`report` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`body` blob NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `insight_key` ON `insight` (`target`,`date`);--> statement-breakpoint
CREATE INDEX `insight_of_asset` ON `insight` (`asset`,`provider`,`family`,`date`);
