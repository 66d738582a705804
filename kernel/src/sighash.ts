/** Hashes that signatures sign. */
export { spendDigests, type SpendDigests } from "./sighash/digests.ts"
export { legacySighash } from "./sighash/legacy.ts"
export { taprootSighash } from "./sighash/taproot.ts"
export { witnessV0Sighash } from "./sighash/witness-v0.ts"
