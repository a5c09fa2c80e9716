ALTER TABLE `archive_object` ADD `secrets` integer;
