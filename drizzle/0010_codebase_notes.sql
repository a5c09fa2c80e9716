ALTER TABLE `codebase_report` ADD `notes` text;
