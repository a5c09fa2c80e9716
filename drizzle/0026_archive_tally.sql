CREATE TABLE `archive_tally` (
	`date` integer NOT NULL,
	`provider` text NOT NULL,
	`family` text NOT NULL,
	`outcome` integer NOT NULL,
	`category` integer NOT NULL,
	`sites` integer NOT NULL,
	PRIMARY KEY(`date`, `provider`, `family`, `outcome`, `category`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_tally_twice` ON `archive_tally` (`date`,`provider`,`family`,`outcome`,`category`,`sites`);--> statement-breakpoint
CREATE TABLE `archive_total` (
	`provider` text PRIMARY KEY NOT NULL,
	`attempts` integer NOT NULL,
	`objects` integer NOT NULL,
	`bytes` integer NOT NULL,
	`stored_bytes` integer NOT NULL,
	`repeated` integer NOT NULL,
	`spared_bytes` integer NOT NULL,
	`spared_stored_bytes` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `archive_total_twice` ON `archive_total` (`provider`,`attempts`,`objects`,`bytes`,`stored_bytes`,`repeated`,`spared_bytes`,`spared_stored_bytes`);
--> statement-breakpoint
CREATE TRIGGER `archive_day_counted` AFTER INSERT ON `archive_day` BEGIN
	UPDATE `archive_tally` SET `sites` = `sites` - 1 WHERE (`date`, `provider`, `family`, `outcome`, `category`) = (
		SELECT NEW.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1)
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = (
			SELECT max(d.`latest`) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = NEW.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family` AND s.`id` <> NEW.`target`
		)
		WHERE t.`id` = NEW.`target`
	);
	INSERT INTO `archive_tally` (`date`, `provider`, `family`, `outcome`, `category`, `sites`)
		SELECT NEW.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1), 1
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = (
			SELECT max(d.`latest`) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = NEW.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family`
		)
		WHERE t.`id` = NEW.`target`
		ON CONFLICT DO UPDATE SET `sites` = `sites` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `archive_day_recounted` AFTER UPDATE OF `latest` ON `archive_day` WHEN OLD.`latest` <> NEW.`latest` BEGIN
	UPDATE `archive_tally` SET `sites` = `sites` - 1 WHERE (`date`, `provider`, `family`, `outcome`, `category`) = (
		SELECT OLD.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1)
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = max(OLD.`latest`, (
			SELECT coalesce(max(d.`latest`), 0) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = OLD.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family` AND s.`id` <> OLD.`target`
		))
		WHERE t.`id` = OLD.`target`
	);
	INSERT INTO `archive_tally` (`date`, `provider`, `family`, `outcome`, `category`, `sites`)
		SELECT NEW.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1), 1
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = (
			SELECT max(d.`latest`) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = NEW.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family`
		)
		WHERE t.`id` = NEW.`target`
		ON CONFLICT DO UPDATE SET `sites` = `sites` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `archive_day_uncounted` AFTER DELETE ON `archive_day` BEGIN
	UPDATE `archive_tally` SET `sites` = `sites` - 1 WHERE (`date`, `provider`, `family`, `outcome`, `category`) = (
		SELECT OLD.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1)
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = max(OLD.`latest`, (
			SELECT coalesce(max(d.`latest`), 0) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = OLD.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family`
		))
		WHERE t.`id` = OLD.`target`
	);
	INSERT INTO `archive_tally` (`date`, `provider`, `family`, `outcome`, `category`, `sites`)
		SELECT OLD.`date`, t.`provider`, t.`family`, r.`outcome`, coalesce(r.`category`, -1), 1
		FROM `archive_target` t JOIN `archive_report` r ON r.`id` = (
			SELECT max(d.`latest`) FROM `archive_target` s JOIN `archive_day` d ON d.`target` = s.`id` AND d.`date` = OLD.`date`
			WHERE s.`asset` = t.`asset` AND s.`provider` = t.`provider` AND s.`family` = t.`family`
		)
		WHERE t.`id` = OLD.`target`
		ON CONFLICT DO UPDATE SET `sites` = `sites` + 1;
END;
--> statement-breakpoint
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
