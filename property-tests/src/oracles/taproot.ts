import { join } from "./byte-string.ts"
import { lengthPrefixed } from "./transaction.ts"
import { taggedHash } from "./hash.ts"
import { tweakMatches } from "./signature.ts"

/** The hash of a leaf. */
export const tapLeafHash = (leafVersion: number, script: Uint8Array): Uint8Array =>
  taggedHash("TapLeaf", Uint8Array.of(leafVersion), lengthPrefixed(script))

/** The hash of two children, the smaller byte string first. */
export const tapBranchHash = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  taggedHash("TapBranch", ...(Buffer.compare(a, b) < 0 ? [a, b] : [b, a]))

/** 33 bytes and at most 128 steps of 32. */
export const isControlSize = (size: number): boolean =>
  Array.from({ length: 129 }, (_, steps) => 33 + 32 * steps).includes(size)

/** The root that the path of a control block leads to from a leaf. */
export const rootOfPath = (control: Uint8Array, leafHash: Uint8Array): Uint8Array => {
  const steps = Array.from({ length: (control.length - 33) / 32 }, (_, i) => control.subarray(33 + 32 * i, 65 + 32 * i))
  return steps.reduce(tapBranchHash, leafHash)
}

/** Q = P + hash(P ‖ root)·G, with the parity in the control block's first bit. */
export const commits = (program: Uint8Array, control: Uint8Array, root: Uint8Array): boolean => {
  const internal = control.subarray(1, 33)
  return tweakMatches(internal, taggedHash("TapTweak", join(internal, root)), program, control[0]! & 1)
}

/** Opcodes that make a tapscript succeed unseen (BIP342). */
export const isSuccess = (opcode: number): boolean =>
  [80, 98, 137, 138, 141, 142].includes(opcode) ||
  (opcode >= 126 && opcode <= 129) ||
  (opcode >= 131 && opcode <= 134) ||
  (opcode >= 149 && opcode <= 153) ||
  (opcode >= 187 && opcode <= 254)
