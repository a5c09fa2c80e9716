CREATE INDEX `annotation_consent_step` ON `annotation` (`asset`,`at_ms`) WHERE kind = 'config' AND substr(ref, 1, 12) = 'consent-mode';
