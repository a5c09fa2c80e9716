CREATE INDEX `health_event_of_target` ON `health_event` (`target`,`at`,`id`);
