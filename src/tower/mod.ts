/** The Tower's pages, as one router, with who may see them and how a refusal looks. */
export { createTowerPages } from "./pages.tsx";
