CREATE TABLE `live_lease` (
	`asset` text NOT NULL,
	`kind` text NOT NULL,
	`connection_revision` text NOT NULL,
	`property` text NOT NULL,
	`holder` text NOT NULL,
	`taken_at` integer NOT NULL,
	`held_until` integer NOT NULL,
	`seen_at` integer,
	`failed_at` integer,
	`category` text,
	PRIMARY KEY(`asset`, `kind`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `live_lease_twice` ON `live_lease` (`asset`,`kind`,`connection_revision`,`property`,`holder`,`taken_at`,`held_until`,`seen_at`,`failed_at`,`category`);
