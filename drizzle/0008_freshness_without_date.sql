ALTER TABLE `pulse_freshness` DROP COLUMN `date`;
