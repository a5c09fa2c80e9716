CREATE TABLE `series` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text NOT NULL,
	`source` text NOT NULL,
	`metric` text NOT NULL,
	`last_day` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `series_key` ON `series` (`asset`,`source`,`metric`);--> statement-breakpoint
CREATE TABLE `series_block` (
	`id` integer PRIMARY KEY NOT NULL,
	`days` blob NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `series` (`asset`, `source`, `metric`, `last_day`)
SELECT `asset`, 'pulse', `metric`, max(`last_day`) FROM (
	SELECT `asset`, `metric`, unixepoch(`last_date`) / 86400 AS `last_day` FROM `pulse_metric`
	UNION ALL
	SELECT `asset`, `metric`, unixepoch(max(`date`)) / 86400 FROM `pulse_reading` GROUP BY `asset`, `metric`
) WHERE `last_day` IS NOT NULL GROUP BY `asset`, `metric` ORDER BY `asset`, `metric`;
--> statement-breakpoint
INSERT INTO `series_block` (`id`, `days`)
SELECT `series` * 32768 + `block` + 8192, unhex(group_concat(`entry`, '' ORDER BY `day`)) FROM (
	SELECT `series`, `day` >> 7 AS `block`, `day`, printf('%02X%02X', `day` & 127, `value_length` | (`total_length` << 4))
		|| CASE WHEN `value_length` IN (0, 15) THEN '' ELSE printf('%0*X', 2 * `value_length`, `last24h`) END
		|| CASE WHEN `total_length` IN (0, 15) THEN '' ELSE printf('%0*X', 2 * `total_length`, `total`) END AS `entry`
	FROM (
		SELECT `series`.`id` AS `series`, unixepoch(`date`) / 86400 AS `day`, `last24h`, `total`,
			CASE WHEN `last24h` IS NULL OR `last24h` < 0 THEN 15 WHEN `last24h` = 0 THEN 0 WHEN `last24h` < 256 THEN 1 WHEN `last24h` < 65536 THEN 2 WHEN `last24h` < 16777216 THEN 3 WHEN `last24h` < 4294967296 THEN 4 WHEN `last24h` < 1099511627776 THEN 5 WHEN `last24h` < 281474976710656 THEN 6 ELSE 7 END AS `value_length`,
			CASE WHEN `total` IS NULL OR `total` < 0 THEN 15 WHEN `total` = 0 THEN 0 WHEN `total` < 256 THEN 1 WHEN `total` < 65536 THEN 2 WHEN `total` < 16777216 THEN 3 WHEN `total` < 4294967296 THEN 4 WHEN `total` < 1099511627776 THEN 5 WHEN `total` < 281474976710656 THEN 6 ELSE 7 END AS `total_length`
		FROM `pulse_reading` JOIN `series` ON `series`.`asset` = `pulse_reading`.`asset` AND `series`.`source` = 'pulse' AND `series`.`metric` = `pulse_reading`.`metric`
		WHERE unixepoch(`date`) IS NOT NULL
	)
) GROUP BY `series`, `block`;
--> statement-breakpoint
DROP TABLE `pulse_metric`;
--> statement-breakpoint
DROP TABLE `pulse_reading`;
