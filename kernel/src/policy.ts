/** Rules of relay, never of blocks. */
export { hashTypeIsDefined } from "./policy/signature.ts"
