CREATE TRIGGER `archive_report_totalled` AFTER INSERT ON `archive_report` BEGIN
	INSERT INTO `archive_total` (`provider`, `attempts`, `objects`, `bytes`, `stored_bytes`, `repeated`, `spared_bytes`, `spared_stored_bytes`)
		SELECT `provider`, 1,
			coalesce(`is_new`, 0), iif(`is_new`, `bytes`, 0), iif(`is_new`, `stored_bytes`, 0),
			coalesce(NOT `is_new`, 0), iif(NOT `is_new`, `bytes`, 0), iif(NOT `is_new`, `stored_bytes`, 0)
		FROM (
			SELECT t.`provider`, o.`bytes`, o.`stored_bytes`, iif(o.`id` IS NULL, NULL,
				NOT EXISTS (SELECT 1 FROM `archive_report` e WHERE e.`object` = o.`id` AND e.`id` <> NEW.`id`)
				AND NOT EXISTS (SELECT 1 FROM `archive_object` e WHERE e.`sha256` = o.`sha256` AND e.`id` < o.`id`)
			) AS `is_new`
			FROM `archive_target` t LEFT JOIN `archive_object` o ON o.`id` = NEW.`object`
			WHERE t.`id` = NEW.`target`
		)
		WHERE true
		ON CONFLICT DO UPDATE SET
			`attempts` = `attempts` + excluded.`attempts`,
			`objects` = `objects` + excluded.`objects`,
			`bytes` = `bytes` + excluded.`bytes`,
			`stored_bytes` = `stored_bytes` + excluded.`stored_bytes`,
			`repeated` = `repeated` + excluded.`repeated`,
			`spared_bytes` = `spared_bytes` + excluded.`spared_bytes`,
			`spared_stored_bytes` = `spared_stored_bytes` + excluded.`spared_stored_bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_goes_packed` BEFORE DELETE ON `codebase_body` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'codebase_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_stays` BEFORE UPDATE ON `codebase_body` BEGIN SELECT RAISE(ABORT, 'codebase_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_goes_grown` BEFORE DELETE ON `codebase_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'codebase_pack goes only into one that holds it'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_stays` BEFORE UPDATE ON `codebase_pack` BEGIN SELECT RAISE(ABORT, 'codebase_pack is append-only'); END;
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
CREATE TRIGGER `pull_attempt_pack_is_kept` BEFORE DELETE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_pack_stays` BEFORE UPDATE ON `pull_attempt_pack` BEGIN SELECT RAISE(ABORT, 'pull_attempt_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pull_attempt_stays` BEFORE UPDATE ON `pull_attempt` BEGIN SELECT RAISE(ABORT, 'pull_attempt is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_goes_packed` BEFORE DELETE ON `pulse_body` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'pulse_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_stays` BEFORE UPDATE ON `pulse_body` BEGIN SELECT RAISE(ABORT, 'pulse_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_goes_grown` BEFORE DELETE ON `pulse_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'pulse_pack goes only into one that holds it'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_stays` BEFORE UPDATE ON `pulse_pack` BEGIN SELECT RAISE(ABORT, 'pulse_pack is append-only'); END;
