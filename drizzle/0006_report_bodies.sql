CREATE TABLE `codebase_body` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `codebase_body_by_asset` ON `codebase_body` (`asset`);--> statement-breakpoint
CREATE TABLE `codebase_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`bodies` integer NOT NULL,
	`bytes` integer NOT NULL,
	`data` blob NOT NULL,
	`row_digest` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codebase_pack_by_asset` ON `codebase_pack` (`asset`,`last`);--> statement-breakpoint
CREATE TABLE `pulse_body` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `pulse_body_by_asset` ON `pulse_body` (`asset`);--> statement-breakpoint
CREATE TABLE `pulse_pack` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	`bodies` integer NOT NULL,
	`bytes` integer NOT NULL,
	`data` blob NOT NULL,
	`row_digest` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pulse_pack_by_asset` ON `pulse_pack` (`asset`,`last`);--> statement-breakpoint
INSERT INTO `codebase_body` (`id`, `asset`, `body`) SELECT `id`, `asset`, `body` FROM `codebase_report` ORDER BY `id`;--> statement-breakpoint
CREATE TABLE `__new_codebase_report` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`row_digest` integer,
	`measures` text NOT NULL,
	`tools` text
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_codebase_report` (`id`, `asset`, `date`, `revision`, `received_at`, `generated_at`, `row_digest`, `measures`, `tools`)
SELECT `id`, `asset`, `date`, `revision`, `received_at`, `generated_at`, `row_digest`, `measures`, `tools` FROM `codebase_report` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `codebase_report`;--> statement-breakpoint
ALTER TABLE `__new_codebase_report` RENAME TO `codebase_report`;--> statement-breakpoint
CREATE UNIQUE INDEX `codebase_report_revision` ON `codebase_report` (`asset`,`date`,`revision`);--> statement-breakpoint
INSERT INTO `pulse_body` (`id`, `asset`, `body`) SELECT `id`, `asset`, `body` FROM `pulse` ORDER BY `id`;--> statement-breakpoint
CREATE TABLE `__new_pulse` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`date` text NOT NULL,
	`revision` integer NOT NULL,
	`received_at` integer NOT NULL,
	`generated_at` integer NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_pulse` (`id`, `asset`, `date`, `revision`, `received_at`, `generated_at`, `row_digest`)
SELECT `id`, `asset`, `date`, `revision`, `received_at`, `generated_at`, `row_digest` FROM `pulse` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `pulse`;--> statement-breakpoint
ALTER TABLE `__new_pulse` RENAME TO `pulse`;--> statement-breakpoint
CREATE UNIQUE INDEX `pulse_revision` ON `pulse` (`asset`,`date`,`revision`);--> statement-breakpoint
CREATE INDEX `pulse_received` ON `pulse` (`asset`,`received_at`);
--> statement-breakpoint
CREATE TRIGGER `codebase_report_no_update` BEFORE UPDATE ON `codebase_report` BEGIN SELECT RAISE(ABORT, 'codebase_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_report_no_delete` BEFORE DELETE ON `codebase_report` BEGIN SELECT RAISE(ABORT, 'codebase_report is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_no_update` BEFORE UPDATE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_no_delete` BEFORE DELETE ON `pulse` BEGIN SELECT RAISE(ABORT, 'pulse is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_stays` BEFORE UPDATE ON `codebase_body` BEGIN SELECT RAISE(ABORT, 'codebase_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_body_goes_packed` BEFORE DELETE ON `codebase_body` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'codebase_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_stays` BEFORE UPDATE ON `codebase_pack` BEGIN SELECT RAISE(ABORT, 'codebase_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `codebase_pack_goes_grown` BEFORE DELETE ON `codebase_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `codebase_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'codebase_pack goes only into one that holds it'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_stays` BEFORE UPDATE ON `pulse_body` BEGIN SELECT RAISE(ABORT, 'pulse_body is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_body_goes_packed` BEFORE DELETE ON `pulse_body` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `first` <= OLD.`id` AND `last` >= OLD.`id`
) BEGIN SELECT RAISE(ABORT, 'pulse_body goes only into a pack'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_stays` BEFORE UPDATE ON `pulse_pack` BEGIN SELECT RAISE(ABORT, 'pulse_pack is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `pulse_pack_goes_grown` BEFORE DELETE ON `pulse_pack` WHEN NOT EXISTS (
	SELECT 1 FROM `pulse_pack` WHERE `asset` = OLD.`asset` AND `id` > OLD.`id` AND `first` <= OLD.`first` AND `last` >= OLD.`last`
) BEGIN SELECT RAISE(ABORT, 'pulse_pack goes only into one that holds it'); END;
