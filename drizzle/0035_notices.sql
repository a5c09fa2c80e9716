CREATE TABLE `notice` (
	`id` text PRIMARY KEY NOT NULL,
	`channel` text NOT NULL,
	`channel_kind` text NOT NULL,
	`type` text NOT NULL,
	`asset` text,
	`day` text,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_attempt_at` integer,
	`delivered_at` integer,
	`receipt` text,
	`outcome` text NOT NULL,
	`code` text,
	`content` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_one_digest_a_day` ON `notice` (`channel`,`day`);--> statement-breakpoint
CREATE INDEX `notice_by_time` ON `notice` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notice_waiting` ON `notice` (`channel`,`created_at`,`id`) WHERE "notice"."outcome" IN ('pending', 'held');--> statement-breakpoint
CREATE TABLE `notice_cause` (
	`cause` text PRIMARY KEY NOT NULL,
	`ended_at` integer,
	`told` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `notice_channel` (
	`channel` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`beat_at` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `notice_item` (
	`id` integer PRIMARY KEY NOT NULL,
	`notice` text NOT NULL,
	`what` text NOT NULL,
	`thing` text NOT NULL,
	`asset` text NOT NULL,
	`severity` text NOT NULL,
	FOREIGN KEY (`notice`) REFERENCES `notice`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `notice_item_of` ON `notice_item` (`notice`);--> statement-breakpoint
CREATE INDEX `notice_item_by_thing` ON `notice_item` (`thing`);--> statement-breakpoint
CREATE INDEX `notice_item_by_asset` ON `notice_item` (`asset`);
