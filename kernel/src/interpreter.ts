/** Running scripts. */
export { encodeScriptNumber, scriptNumber } from "./interpreter/script-number.ts"
export { verifyScript } from "./interpreter/verify-script.ts"
