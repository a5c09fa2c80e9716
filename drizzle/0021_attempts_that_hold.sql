CREATE INDEX `pull_attempt_holds` ON `pull_attempt` (`next_retry_at`) WHERE next_retry_at IS NOT NULL;
