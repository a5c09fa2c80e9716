/** Where drizzle-kit finds the tables and keeps the migrations. */

import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/app/schema.ts",
  out: "./drizzle",
});
