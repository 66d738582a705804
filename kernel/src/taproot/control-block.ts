import { compareBytes } from "../bytes/equal.ts"
import { sizedLength, writerOf, writeSized, writeUint8 } from "../bytes/writer.ts"
import { TAPROOT_CONTROL_BASE_SIZE, TAPROOT_CONTROL_MAX_NODE_COUNT, TAPROOT_CONTROL_NODE_SIZE } from "../constants.ts"
import type { Crypto } from "../crypto/crypto.ts"
import { taggedHash } from "../crypto/tagged-hash.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * A control block is one byte, a 32-byte internal key, and 0 to 128 hashes of 32 bytes.
 *
 *     |control| = 33 + 32·k,  0 ≤ k ≤ 128
 *
 * @spec TAP-004 #f0a21253
 */
export const controlBlockSize = (control: Bytes): Fault => {
  const nodes = (control.length - TAPROOT_CONTROL_BASE_SIZE) / TAPROOT_CONTROL_NODE_SIZE
  return Number.isInteger(nodes) && nodes >= 0 && nodes <= TAPROOT_CONTROL_MAX_NODE_COUNT
    ? NO_FAULT
    : fault("TAP-004", ScriptError.TAPROOT_WRONG_CONTROL_SIZE)
}

/**
 * The hash of a leaf: its version byte and its script with its length.
 *
 * @spec TAP-005 #173184d2
 */
export const tapLeafHash = (leafVersion: number, script: Bytes, crypto: Crypto): Bytes32 => {
  const writer = writerOf(1 + sizedLength(script))
  writeUint8(writer, leafVersion)
  writeSized(writer, script)
  return taggedHash(crypto, "TapLeaf", writer.bytes)
}

/**
 * The root that the path of `control` leads to from `leafHash`. Two children are ordered as bytes before they are
 * hashed, so a path needs no left or right.
 *
 * Precondition: TAP-004.
 *
 * @spec TAP-006 #f2535794
 */
export const taprootMerkleRoot = (control: Bytes, leafHash: Bytes32, crypto: Crypto): Bytes32 => {
  let hash = leafHash
  for (let at = TAPROOT_CONTROL_BASE_SIZE; at < control.length; at += TAPROOT_CONTROL_NODE_SIZE) {
    const node = control.subarray(at, at + TAPROOT_CONTROL_NODE_SIZE)
    const ordered = compareBytes(hash, node) < 0
    const pair = new Uint8Array(64)
    pair.set(ordered ? hash : node)
    pair.set(ordered ? node : hash, 32)
    hash = taggedHash(crypto, "TapBranch", pair)
  }
  return hash
}

/**
 * The output key is the internal key of `control` tweaked by `root`, with the parity that its first byte states.
 *
 *     program = x(P + H_TapTweak(P ‖ root)·G),  control₀ mod 2 = y mod 2
 *
 * Precondition: TAP-004; `program` has 32 bytes.
 *
 * @spec TAP-007 #61d07be0
 */
export const outputCommitsToLeaf = (program: Bytes32, control: Bytes, root: Bytes32, crypto: Crypto): Fault => {
  const internal = control.subarray(1, TAPROOT_CONTROL_BASE_SIZE)
  const message = new Uint8Array(64)
  message.set(internal)
  message.set(root, 32)
  const tweak = taggedHash(crypto, "TapTweak", message)
  return crypto.taprootTweakMatches(internal, tweak, program, control[0]! & 1)
    ? NO_FAULT
    : fault("TAP-007", ScriptError.WITNESS_PROGRAM_MISMATCH)
}
