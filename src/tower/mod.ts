/** The Tower's pages, as one router, with who may see them and how a refusal looks. */
export { createTowerPages, type TowerDeps, type TowerPages } from "./pages.tsx";
export type { Sessions } from "./session.ts";
