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
ALTER TABLE `asset` ADD `went_live_at` integer;--> statement-breakpoint
ALTER TABLE `pulse_freshness` ADD `ahead_seen_at` integer;
--> statement-breakpoint
-- When a site went live is known from the audit; one that was added live never did.
UPDATE `asset` SET `went_live_at` = (SELECT max(`at`) FROM `audit` WHERE `act` = 'asset.change' AND `target` = `asset`.`id` AND json_extract(`detail`, '$.lifecycle') = 'live') WHERE `lifecycle` = 'live';--> statement-breakpoint
-- The last report is the one accepted last; under a clock that was once ahead the greatest time was kept until now.
UPDATE `pulse_freshness` SET `received_at` = (SELECT `received_at` FROM `pulse` WHERE `id` = (SELECT max(`id`) FROM `pulse` `last` WHERE `last`.`asset` = `pulse_freshness`.`asset`)) WHERE EXISTS (SELECT 1 FROM `pulse` WHERE `pulse`.`asset` = `pulse_freshness`.`asset`);
