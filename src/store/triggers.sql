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
CREATE TRIGGER `observation_goes_packed` BEFORE DELETE ON `observation` WHEN NOT EXISTS (
	SELECT 1 FROM `observation_pack` WHERE `target` = OLD.`target` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) OR NOT EXISTS (
	SELECT 1 FROM `observation` WHERE `target` = OLD.`target` AND `id` > OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'observation goes only into a pack, and the newest of its target stays'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_follows` BEFORE INSERT ON `observation_pack` WHEN NEW.`last` < NEW.`first` OR NEW.`first` <> (
	SELECT min(`id`) FROM `observation` WHERE `target` = NEW.`target` AND `id` > coalesce(
		(SELECT max(`last`) FROM `observation_pack` WHERE `target` = NEW.`target`), 0
	)
) BEGIN SELECT RAISE(ABORT, 'observation_pack leaves out no observation'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_is_kept` BEFORE DELETE ON `observation_pack` BEGIN SELECT RAISE(ABORT, 'observation_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_pack_stays` BEFORE UPDATE ON `observation_pack` BEGIN SELECT RAISE(ABORT, 'observation_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `observation_stays` BEFORE UPDATE ON `observation` BEGIN SELECT RAISE(ABORT, 'observation is append-only'); END;
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
