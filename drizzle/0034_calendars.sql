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
CREATE UNIQUE INDEX `calendar_name_unique` ON `calendar` (`name`);
