/** Counting signature operations. */
export { transactionSigOpCost } from "./sigops/cost.ts"
