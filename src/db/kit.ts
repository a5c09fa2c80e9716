import { defineConfig } from "drizzle-kit";

/** Where drizzle-kit finds the tables and keeps the migrations. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/schema.ts",
  out: "./drizzle",
});
