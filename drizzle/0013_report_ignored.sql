ALTER TABLE `codebase_report` ADD `ignored` text;--> statement-breakpoint
ALTER TABLE `pulse` ADD `ignored` text;
