import { ECDH } from "node:crypto"
import { withChecksum } from "./descriptor-checksum.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { ScriptKind } from "./script-kind.ts"

/** Reports whether 32 bytes are the x of a point on the curve. */
const isPoint = (x: Uint8Array): boolean => {
  const key = new Uint8Array(33)
  key[0] = 2
  key.set(x, 1)
  try {
    ECDH.convertKey(key, "secp256k1")
    return true
  } catch {
    return false
  }
}

/** Reports whether a key is compressed or uncompressed. Descriptors have no hybrid keys. */
const isDescribable = (key: Uint8Array): boolean => key[0]! <= 4

const describe = (kind: ScriptKind): string | undefined => {
  if (kind.type === "pubkey") return isDescribable(kind.key) ? `pk(${hexOf(kind.key)})` : undefined
  if (kind.type === "witness_v1_taproot") return isPoint(kind.program) ? `rawtr(${hexOf(kind.program)})` : undefined
  if (kind.type !== "multisig" || !kind.keys.every(isDescribable)) return undefined
  return `multi(${[kind.required, ...kind.keys.map(hexOf)].join(",")})`
}

/** Infers a descriptor from a script alone. */
export const inferredDescriptor = (script: Uint8Array, kind: ScriptKind, address: string | undefined): string =>
  withChecksum(describe(kind) ?? (address === undefined ? `raw(${hexOf(script)})` : `addr(${address})`))
