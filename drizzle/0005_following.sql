CREATE TABLE `flow_progress` (
	`report` integer PRIMARY KEY NOT NULL,
	`done` integer NOT NULL,
	`tests` integer NOT NULL,
	`not_tested` integer NOT NULL,
	`raised` integer NOT NULL,
	`expected` real NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `flow_progress_twice` ON `flow_progress` (`report`,`done`,`tests`,`not_tested`,`raised`,`expected`);--> statement-breakpoint
CREATE TABLE `pulse_metric` (
	`asset` text NOT NULL,
	`metric` text NOT NULL,
	`last_date` text NOT NULL,
	PRIMARY KEY(`asset`, `metric`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `pulse_waiting` (
	`pulse` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `pulse_waiting_by_asset` ON `pulse_waiting` (`asset`);--> statement-breakpoint
CREATE TABLE `__new_flow_tally` (
	`id` integer PRIMARY KEY NOT NULL,
	`date` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`report` integer,
	`tests` integer NOT NULL,
	`not_tested` integer NOT NULL,
	`raised` integer NOT NULL,
	`expected` real NOT NULL,
	`row_digest` integer
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_flow_tally` (`date`, `asset`, `source`, `report`, `tests`, `not_tested`, `raised`, `expected`)
SELECT `date`, `asset`, 'pulse', NULL, `tests`, `not_tested`, `raised`, `expected` FROM `flow_tally` ORDER BY `date`, `asset`;--> statement-breakpoint
DROP TABLE `flow_tally`;--> statement-breakpoint
ALTER TABLE `__new_flow_tally` RENAME TO `flow_tally`;--> statement-breakpoint
CREATE INDEX `flow_tally_by_date` ON `flow_tally` (`date`,`asset`,`tests`,`not_tested`,`raised`,`expected`);--> statement-breakpoint
CREATE TABLE `__new_flow_verdict` (
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`metric` text NOT NULL,
	`judged_at` integer NOT NULL,
	`date` text NOT NULL,
	`reason` text,
	`phi` real,
	`basis` text,
	`spread_days` integer,
	`verdict` text NOT NULL,
	`row_digest` integer,
	PRIMARY KEY(`asset`, `source`, `metric`)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_flow_verdict` (`asset`, `source`, `metric`, `judged_at`, `date`, `reason`, `phi`, `basis`, `spread_days`, `verdict`)
SELECT `asset`, 'pulse', `metric`, `judged_at`, `date`, json_extract(`verdict`, '$.flow.reason'),
	json_extract(`verdict`, '$.flow.dispersion.phi')
		/ CASE WHEN json_extract(`verdict`, '$.flow.dispersion.basis') = 'measured' AND json_type(`verdict`, '$.flow.negativeBinomial') IS NOT NULL THEN 1.25 ELSE 1 END,
	json_extract(`verdict`, '$.flow.dispersion.basis'), json_extract(`verdict`, '$.flow.dispersion.days'), `verdict`
FROM `flow_verdict`;--> statement-breakpoint
DROP TABLE `flow_verdict`;--> statement-breakpoint
ALTER TABLE `__new_flow_verdict` RENAME TO `flow_verdict`;--> statement-breakpoint
CREATE INDEX `flow_verdict_by_reason` ON `flow_verdict` (`reason`,`asset`);--> statement-breakpoint
CREATE INDEX `flow_verdict_by_spread` ON `flow_verdict` (`phi` DESC,`asset`,`metric`);
--> statement-breakpoint
CREATE TRIGGER `flow_tally_no_update` BEFORE UPDATE ON `flow_tally` BEGIN SELECT RAISE(ABORT, 'flow_tally is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `flow_tally_no_delete` BEFORE DELETE ON `flow_tally` BEGIN SELECT RAISE(ABORT, 'flow_tally is append-only'); END;
--> statement-breakpoint
INSERT INTO `pulse_waiting` (`pulse`, `asset`)
SELECT `id`, `asset` FROM `pulse`
WHERE `id` > coalesce((SELECT CAST(`value` AS INTEGER) FROM `service_state` WHERE `name` = 'flow.judged_pulse'), 0);
--> statement-breakpoint
DELETE FROM `service_state` WHERE `name` = 'flow.judged_pulse';
--> statement-breakpoint
INSERT INTO `pulse_metric` (`asset`, `metric`, `last_date`)
SELECT `asset`, `metric`, max(`date`) FROM `pulse_reading` GROUP BY `asset`, `metric`;
--> statement-breakpoint
INSERT INTO `pulse_metric` (`asset`, `metric`, `last_date`)
SELECT `pulse`.`asset`, `sent`.`key`, max(`pulse`.`date`)
FROM `pulse_waiting` JOIN `pulse` ON `pulse`.`id` = `pulse_waiting`.`pulse`, json_each(`pulse`.`body`, '$.metrics') AS `sent`
GROUP BY `pulse`.`asset`, `sent`.`key`
ON CONFLICT (`asset`, `metric`) DO UPDATE SET `last_date` = max(`last_date`, excluded.`last_date`);
