CREATE INDEX `flag_begun` ON `flag` (`raised_at`,`severity`) WHERE renews IS NULL AND resolution IS NOT 'older_report';--> statement-breakpoint
CREATE INDEX `flag_begun_of_asset` ON `flag` (`asset`,`raised_at`,`severity`) WHERE renews IS NULL AND resolution IS NOT 'older_report';--> statement-breakpoint
CREATE INDEX `flag_ended` ON `flag` (`resolved_at`,`severity`) WHERE status = 'resolved' AND renewed_by IS NULL AND resolved_at > raised_at;--> statement-breakpoint
CREATE INDEX `flag_ended_of_asset` ON `flag` (`asset`,`resolved_at`,`severity`) WHERE status = 'resolved' AND renewed_by IS NULL AND resolved_at > raised_at;
