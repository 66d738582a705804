import type { PreimageKind } from "@lockstep/protocol/psbt/psbt.ts"
import { decodeMiniscript } from "../../descriptor/miniscript/decode-miniscript.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { keyWithHash, type Signing, signWith } from "./sign-key.ts"
import { type MiniscriptSatisfier, satisfyMiniscript } from "./satisfy-miniscript.ts"

/** Returns preimages that an input has. */
export const preimageOf =
  ({ data }: Signing): MiniscriptSatisfier["preimage"] => (kind: PreimageKind, hash: Uint8Array) =>
    data.preimages[kind].get(hexOf(hash))?.preimage

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && (key[0] === 2 || key[0] === 3)

/** Satisfies the script of a P2WSH output by its miniscript. Returns `undefined` if it has none. */
export const witnessOfMiniscript = (script: Uint8Array, signing: Signing) => {
  const keys: Array<Uint8Array> = []
  const root = decodeMiniscript(script, "wsh", {
    ofBytes: (key) => isCompressed(key) ? keys.push(key) - 1 : undefined,
    ofHash: (hash) => {
      const key = keyWithHash(hash, signing)
      return key && keys.push(key) - 1
    }
  })
  if (root === undefined) return undefined
  const elements = satisfyMiniscript(root, {
    sign: (key) => signWith(keys[key]!, script, true, signing),
    keyBytes: (key) => keys[key]!,
    preimage: preimageOf(signing),
    takesLockTime: signing.creator.takesLockTime,
    takesSequence: signing.creator.takesSequence
  })
  return { elements: elements ?? [], isWhole: elements !== undefined }
}
