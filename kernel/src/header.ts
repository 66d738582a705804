/** Rules of a header. */
export { checkHeader } from "./header/check-header.ts"
export type { OldVersion } from "./header/contextual.ts"
export { requiredBits, retargetInterval } from "./header/required-work.ts"
