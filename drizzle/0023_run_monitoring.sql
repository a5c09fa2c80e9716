ALTER TABLE `job_end` ADD `monitoring` text;
