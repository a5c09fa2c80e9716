DROP INDEX `operator_session_twice`;--> statement-breakpoint
ALTER TABLE `operator_session` ADD `kept` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `operator_session_twice` ON `operator_session` (`digest`,`operator`,`created_at`,`last_seen_at`,`confirmed_at`,`address`,`agent`,`kept`);
