import { hexOf } from "@lockstep/protocol/hex.ts"
import { decodeMiniscript } from "./decode-miniscript.ts"
import { miniscriptText } from "./miniscript-text.ts"
import { isSaneMiniscript } from "./sanity.ts"

/** Accepts compressed keys even if they are not on the curve, since nothing is spent here. */
const isKey = (bytes: Uint8Array): boolean => bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)

/** Infers the miniscript of a P2WSH script from the script alone. Returns `undefined` if it has no sane one. */
export const inferredMiniscript = (script: Uint8Array): string | undefined => {
  const keys: Array<string> = []
  const root = decodeMiniscript(script, "wsh", {
    ofBytes: (bytes) => isKey(bytes) ? keys.push(hexOf(bytes)) - 1 : undefined,
    ofHash: () => undefined
  })
  const textOf = (key: number): string => keys[key]!
  return root !== undefined && isSaneMiniscript(root, "wsh", textOf) ? miniscriptText(root, textOf) : undefined
}
