/** Rules of taproot and tapscript. */
export { isSuccessOpcode } from "./taproot/success.ts"
