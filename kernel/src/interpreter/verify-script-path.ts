import { compactSizeLength } from "../bytes/compact-size.ts"
import { sizedLength } from "../bytes/writer.ts"
import { MAX_STACK_SIZE, TAPROOT_LEAF_MASK, TAPSCRIPT_LEAF_VERSION, VALIDATION_WEIGHT_OFFSET } from "../constants.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import { leafVersionIsKnown, successOpcodeIsAbsent } from "../policy/upgradable.ts"
import { type Fault, fault, NO_FAULT, YES } from "../script/fault.ts"
import { type Machine, SigVersion } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"
import { executeWitnessScript, loadStack } from "./execute-witness-script.ts"
import { controlBlockSize, outputCommitsToLeaf, tapLeafHash, taprootMerkleRoot } from "../taproot/control-block.ts"
import { scanForSuccess } from "../taproot/success.ts"

/**
 * A tapscript starts with at most {@link MAX_STACK_SIZE} elements.
 *
 * @spec TAP-010 #957bab39
 */
export const tapscriptStackSize = (depth: number): Fault =>
  depth > MAX_STACK_SIZE ? fault("TAP-010", ScriptError.STACK_SIZE) : NO_FAULT

/** Bytes of a serialized witness: count, then every item with its length. */
const witnessSize = (witness: ReadonlyArray<Uint8Array>): number => {
  let size = compactSizeLength(witness.length)
  for (const item of witness) size += sizedLength(item)
  return size
}

const executeTapscript = (
  m: Machine,
  script: Uint8Array,
  leafHash: Uint8Array,
  witness: ReadonlyArray<Uint8Array>
): Fault => {
  const found = scanForSuccess(script)
  if (found === YES) return successOpcodeIsAbsent(m.flags)
  if (found !== NO_FAULT) return found
  const tooDeep = tapscriptStackSize(m.depth)
  if (tooDeep !== NO_FAULT) return tooDeep
  m.leafHash = leafHash
  m.weightLeft = witnessSize(witness) + VALIDATION_WEIGHT_OFFSET
  return executeWitnessScript(m, script, SigVersion.TAPSCRIPT)
}

/**
 * Judges a spend by revealing a leaf: control block, commitment, then the script if its leaf version has a meaning.
 * `items` counts the witness items without an annex; the last two of them are script and control block. The signature
 * budget counts the whole witness, annex included.
 *
 * Precondition: `items` ≥ 2.
 *
 * @spec TAP-016 #fa6b3b1c
 */
export const verifyScriptPath = (m: Machine, program: Bytes32, witness: ReadonlyArray<Bytes>, items: number): Fault => {
  const control = witness[items - 1]!
  const script = witness[items - 2]!
  const wrongSize = controlBlockSize(control)
  if (wrongSize !== NO_FAULT) return wrongSize
  const leafVersion = control[0]! & TAPROOT_LEAF_MASK
  const leafHash = tapLeafHash(leafVersion, script, m.crypto)
  const mismatch = outputCommitsToLeaf(program, control, taprootMerkleRoot(control, leafHash, m.crypto), m.crypto)
  if (mismatch !== NO_FAULT) return mismatch
  if (leafVersion !== TAPSCRIPT_LEAF_VERSION) return leafVersionIsKnown(m.flags)
  loadStack(m, witness, items - 2)
  return executeTapscript(m, script, leafHash, witness)
}
