/** Rules of a transaction. */
export { checkInputs } from "./tx/check-inputs.ts"
export { checkTransaction } from "./tx/check-transaction.ts"
export { isFinal } from "./tx/lock-time.ts"
export { sequenceLocks, sequenceLocksArePassed } from "./tx/sequence-locks.ts"
export type { PrematureCoinbaseSpend, SpendsMoreThanItHas } from "./tx/spending.ts"
