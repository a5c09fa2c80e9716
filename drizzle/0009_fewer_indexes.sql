DROP INDEX `codebase_body_by_asset`;--> statement-breakpoint
DROP INDEX `flag_record_by_flag`;--> statement-breakpoint
CREATE INDEX `flag_record_evidence` ON `flag_record` (`flag`,`id`) WHERE "flag_record"."type" = 'evidence';--> statement-breakpoint
DROP INDEX `pulse_received`;--> statement-breakpoint
DROP INDEX `pulse_body_by_asset`;
