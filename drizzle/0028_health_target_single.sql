CREATE INDEX `health_target_single` ON `health_target` (`id`) WHERE family = '';
