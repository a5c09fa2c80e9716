CREATE INDEX `pull_attempt_pack_holds` ON `pull_attempt_pack` (`last`,`first`,`first_run`,`last_run`,`began_from`,`began_to`,`outcomes`,`categories`);
