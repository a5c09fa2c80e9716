DROP INDEX `live_lease_twice`;--> statement-breakpoint
ALTER TABLE `live_lease` ADD `code` text;--> statement-breakpoint
CREATE INDEX `live_lease_twice` ON `live_lease` (`asset`,`kind`,`connection_revision`,`property`,`holder`,`taken_at`,`held_until`,`seen_at`,`failed_at`,`category`,`code`);
