CREATE TABLE `ledger_entry` (
	`id` integer PRIMARY KEY NOT NULL,
	`asset` text,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`period` text NOT NULL,
	`status` text,
	`change` text,
	`ref` text,
	`minutes` integer,
	`rate` integer,
	`amount` integer NOT NULL,
	`low` integer,
	`high` integer,
	`currency` text NOT NULL,
	`currency_basis` text NOT NULL,
	`corrects` integer,
	`recorded_at` integer NOT NULL,
	`recorded_by` text NOT NULL,
	FOREIGN KEY (`corrects`) REFERENCES `ledger_entry`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_entry_kind" CHECK("ledger_entry"."kind" IN ('revenue', 'inference', 'external_api', 'operator_minutes')),
	CONSTRAINT "ledger_entry_revenue" CHECK(("ledger_entry"."kind" = 'revenue') = ("ledger_entry"."status" IS NOT NULL)),
	CONSTRAINT "ledger_entry_range" CHECK("ledger_entry"."low" <= "ledger_entry"."amount" AND "ledger_entry"."amount" <= "ledger_entry"."high")
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_entry_identity` ON `ledger_entry` (`source`,`period`,`asset`,`ref`);--> statement-breakpoint
CREATE INDEX `ledger_entry_period` ON `ledger_entry` (`period`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_entry_asset` ON `ledger_entry` (`asset`,`period`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entry_corrects` ON `ledger_entry` (`corrects`);
--> statement-breakpoint
CREATE TRIGGER `ledger_entry_no_update` BEFORE UPDATE ON `ledger_entry` BEGIN SELECT RAISE(ABORT, 'ledger_entry is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_entry_no_delete` BEFORE DELETE ON `ledger_entry` BEGIN SELECT RAISE(ABORT, 'ledger_entry is append-only'); END;
