DROP INDEX `flag_one_open_per_rule`;--> statement-breakpoint
DROP INDEX `flag_one_open_flow_per_metric`;--> statement-breakpoint
DROP INDEX `flag_open`;--> statement-breakpoint
ALTER TABLE `flag` ADD `source` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `flag` ADD `renews` text;--> statement-breakpoint
ALTER TABLE `flag` ADD `renewed_by` text;--> statement-breakpoint
ALTER TABLE `flag` ADD `chain` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `flag` ADD `since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `flag` ADD `reports` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
UPDATE `flag` SET `chain` = `id`, `since` = `raised_at`, `source` = CASE WHEN `rule` IN ('flow-drop', 'flow-rise', 'percent-drop', 'milestone-total') THEN 'pulse' ELSE '' END;
--> statement-breakpoint
-- A flag that was raised where its rule resolved its own one just before renews it: the two records stand side by side.
UPDATE `flag` SET `renews` = (
	SELECT `before`.`flag` FROM `flag_record` AS `raised`
	JOIN `flag_record` AS `before` ON `before`.`id` = `raised`.`id` - 1
	JOIN `flag` AS `old` ON `old`.`id` = `before`.`flag`
	WHERE `raised`.`flag` = `flag`.`id` AND `raised`.`type` = 'raised'
		AND `before`.`type` = 'resolved' AND json_extract(`before`.`data`, '$.resolution') = 'renewed'
		AND `old`.`rule` = `flag`.`rule` AND `old`.`asset` = `flag`.`asset` AND `old`.`subject` = `flag`.`subject`
) WHERE `rule` IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `flag_renews` ON `flag` (`renews`) WHERE `renews` IS NOT NULL;
--> statement-breakpoint
UPDATE `flag` SET `renewed_by` = (SELECT `next`.`id` FROM `flag` AS `next` WHERE `next`.`renews` = `flag`.`id`) WHERE `resolution` = 'renewed';
--> statement-breakpoint
WITH RECURSIVE `told` (`id`, `chain`, `since`, `reports`) AS (
	SELECT `id`, `id`, `raised_at`, 1 FROM `flag` WHERE `renews` IS NULL AND `renewed_by` IS NOT NULL
	UNION ALL
	SELECT `next`.`id`, `told`.`chain`, `told`.`since`, `told`.`reports` + 1 FROM `told` JOIN `flag` AS `next` ON `next`.`renews` = `told`.`id`
)
UPDATE `flag` SET `chain` = `told`.`chain`, `since` = `told`.`since`, `reports` = `told`.`reports` FROM `told` WHERE `told`.`id` = `flag`.`id`;
--> statement-breakpoint
DROP INDEX `flag_renews`;
--> statement-breakpoint
-- The rows can be rebuilt from their records, so the records say the same.
INSERT INTO `flag_record` (`flag`, `at`, `type`, `actor`, `data`)
SELECT `id`, `raised_at`, 'renewed', 'rule', json_object('set', json_object('renews', `renews`, 'chain', `chain`, 'since', `since`, 'reports', `reports`)) FROM `flag` WHERE `renews` IS NOT NULL ORDER BY `raised_at`, `id`;
--> statement-breakpoint
INSERT INTO `flag_record` (`flag`, `at`, `type`, `actor`, `data`)
SELECT `id`, `resolved_at`, 'renewed', 'rule', json_object('set', json_object('renewed_by', `renewed_by`)) FROM `flag` WHERE `renewed_by` IS NOT NULL ORDER BY `resolved_at`, `id`;
--> statement-breakpoint
-- A site that was retired before left its flags open for good: they end when it was retired.
UPDATE `flag` SET `status` = 'resolved', `resolution` = 'retired', `resolved_at` = max(`raised_at`, coalesce((
	SELECT max(`audit`.`at`) FROM `audit`
	WHERE `audit`.`act` IN ('asset.add', 'asset.change') AND `audit`.`target` = CASE WHEN `flag`.`rule` = 'stale-ingest' THEN `flag`.`subject` ELSE `flag`.`asset` END
		AND json_extract(`audit`.`detail`, '$.lifecycle') = 'retired'
), `raised_at`))
WHERE `status` = 'open' AND CASE WHEN `rule` = 'stale-ingest' THEN `subject` ELSE `asset` END IN (SELECT `id` FROM `asset` WHERE `lifecycle` = 'retired');
--> statement-breakpoint
INSERT INTO `flag_record` (`flag`, `at`, `type`, `actor`, `data`)
SELECT `id`, `resolved_at`, 'resolved', 'rule', json_object('resolution', 'retired') FROM `flag` WHERE `resolution` = 'retired' ORDER BY `resolved_at`, `id`;
--> statement-breakpoint
CREATE INDEX `flag_open_worst` ON `flag` (CASE severity WHEN 'error' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END,`since`,`id`,`snoozed_until`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_open_newest` ON `flag` (`since`,`id`,`snoozed_until`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_open_by_time` ON `flag` (`raised_at`,`id`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE INDEX `flag_over` ON `flag` (`resolved_at`,`id`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_over_of_asset` ON `flag` (`asset`,`resolved_at`,`id`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_over_of_rule` ON `flag` (`rule`,`resolved_at`,`id`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL;--> statement-breakpoint
CREATE INDEX `flag_chain` ON `flag` (`chain`,`reports`) WHERE "flag"."renews" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `flag_flow_over` ON `flag` (`asset`,`source`,`metric`,`resolved_at`) WHERE "flag"."status" = 'resolved' AND "flag"."renewed_by" IS NULL AND "flag"."rule" IN ('flow-drop', 'flow-rise', 'percent-drop');--> statement-breakpoint
CREATE INDEX `flag_milestone` ON `flag` (`asset`,`source`,`metric`,rule_inputs ->> '$.milestone') WHERE "flag"."rule" = 'milestone-total';--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_per_rule` ON `flag` (`rule`,`asset`,`source`,`subject`) WHERE "flag"."status" = 'open' AND "flag"."rule" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `flag_one_open_flow_per_metric` ON `flag` (`asset`,`source`,`metric`) WHERE "flag"."status" = 'open' AND "flag"."rule" IN ('flow-drop', 'flow-rise', 'percent-drop');--> statement-breakpoint
CREATE INDEX `flag_open` ON `flag` (`asset`,`severity`,`snoozed_until`) WHERE "flag"."status" = 'open';--> statement-breakpoint
CREATE TABLE `__new_flag_snooze` (
	`rule` text NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`until` integer NOT NULL,
	`set_at` integer NOT NULL,
	`set_by` text NOT NULL,
	PRIMARY KEY(`rule`, `asset`, `source`, `subject`)
) STRICT;
--> statement-breakpoint
-- A metric that is down has one snooze, whichever of the two rules says so: the last one set, unless a later one was woken.
INSERT INTO `__new_flag_snooze` (`rule`, `asset`, `source`, `subject`, `until`, `set_at`, `set_by`)
SELECT `rule`, `asset`, CASE WHEN `rule` IN ('flow-drop', 'flow-rise', 'percent-drop', 'milestone-total') THEN 'pulse' ELSE '' END, `subject`, `until`, `set_at`, `set_by` FROM `flag_snooze`
WHERE NOT EXISTS (
	SELECT 1 FROM `flag` AS `other` JOIN `flag_record` ON `flag_record`.`flag` = `other`.`id`
	WHERE `flag_snooze`.`rule` IN ('flow-drop', 'percent-drop') AND `other`.`rule` IN ('flow-drop', 'percent-drop')
		AND `other`.`rule` <> `flag_snooze`.`rule` AND `other`.`asset` = `flag_snooze`.`asset` AND `other`.`subject` = `flag_snooze`.`subject`
		AND `flag_record`.`type` = 'act' AND json_extract(`flag_record`.`data`, '$.act') IN ('snooze', 'wake')
		AND `flag_record`.`at` > `flag_snooze`.`set_at`
);
--> statement-breakpoint
DROP TABLE `flag_snooze`;
--> statement-breakpoint
ALTER TABLE `__new_flag_snooze` RENAME TO `flag_snooze`;
