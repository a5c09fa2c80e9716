CREATE TABLE `channel` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`edit_revision` integer NOT NULL,
	`connection_revision` text NOT NULL,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`rules` text NOT NULL,
	`added_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`paused_at` integer,
	`removed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_name` ON `channel` (`name`) WHERE "channel"."removed_at" IS NULL;
