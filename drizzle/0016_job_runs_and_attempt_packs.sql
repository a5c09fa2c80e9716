CREATE TABLE `pull_attempt_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`first_run` integer NOT NULL,
	`last_run` integer NOT NULL,
	`began_from` integer NOT NULL,
	`began_to` integer NOT NULL,
	`outcomes` integer NOT NULL,
	`categories` integer NOT NULL,
	`data` blob NOT NULL,
	`row_digest` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pull_attempt_pack_last` ON `pull_attempt_pack` (`last`);--> statement-breakpoint
ALTER TABLE `job_end` ADD `fault` text;--> statement-breakpoint
ALTER TABLE `job_run` ADD `asked_by` text;--> statement-breakpoint
CREATE INDEX `pull_attempt_of_target` ON `pull_attempt` (`target`);--> statement-breakpoint
CREATE INDEX `pull_attempt_of_run` ON `pull_attempt` (`run`);
--> statement-breakpoint
DROP TRIGGER `pull_attempt_no_update`;
--> statement-breakpoint
DROP TRIGGER `pull_attempt_no_delete`;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_stays` BEFORE UPDATE ON `pull_attempt` BEGIN SELECT RAISE(ABORT, 'pull_attempt is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_goes_packed` BEFORE DELETE ON `pull_attempt` WHEN NOT EXISTS (
	SELECT 1 FROM `pull_attempt_pack` WHERE `first` <= OLD.`id` AND `last` >= OLD.`id`
) OR NOT EXISTS (
	SELECT 1 FROM `pull_attempt` WHERE `target` = OLD.`target` AND `id` > OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'pull_attempt goes only into a pack, and the latest of its target stays'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_follows` BEFORE INSERT ON `pull_attempt_pack` WHEN NEW.`last` < NEW.`first` OR NEW.`first` <> 1 + coalesce(
	(SELECT max(`last`) FROM `pull_attempt_pack`), 0
) BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack leaves out no attempt'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_stays` BEFORE UPDATE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_is_kept` BEFORE DELETE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
