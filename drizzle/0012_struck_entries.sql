CREATE TABLE `annotation_strike` (
	`id` integer PRIMARY KEY NOT NULL,
	`annotation` text NOT NULL,
	`struck` integer NOT NULL,
	`reason` text,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`row_digest` integer,
	FOREIGN KEY (`annotation`) REFERENCES `annotation`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "annotation_strike_struck" CHECK("annotation_strike"."struck" IN (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `annotation_strike_annotation` ON `annotation_strike` (`annotation`,`id`);
--> statement-breakpoint
CREATE TRIGGER `annotation_strike_no_update` BEFORE UPDATE ON `annotation_strike` BEGIN SELECT RAISE(ABORT, 'annotation_strike is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `annotation_strike_no_delete` BEFORE DELETE ON `annotation_strike` BEGIN SELECT RAISE(ABORT, 'annotation_strike is append-only'); END;
