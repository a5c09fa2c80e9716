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
CREATE TABLE `operator_device` (
	`operator` text NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`operator`, `digest`),
	FOREIGN KEY (`operator`) REFERENCES `operator`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TRIGGER `monitoring_event_no_update` BEFORE UPDATE ON `monitoring_event` BEGIN SELECT RAISE(ABORT, 'monitoring_event is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `monitoring_event_no_delete` BEFORE DELETE ON `monitoring_event` BEGIN SELECT RAISE(ABORT, 'monitoring_event is append-only'); END;
