/** The health of integrations: what each operation came to, and what operators paused. */
export { endPauses, type Paused, pause, resume } from "./pause.ts";
export { isInForce, isPaused, listPauses, type Pause, type PauseKey, pausesInForce } from "./pause_store.ts";
