CREATE TABLE `archive_copy` (
	`run` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_copy_twice` ON `archive_copy` (`run`,`bytes`,`sha256`);
--> statement-breakpoint
DELETE FROM `service_state` WHERE `name` = 'archive.manifest_copied';
