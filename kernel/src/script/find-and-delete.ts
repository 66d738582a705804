import { concatBytes } from "../bytes/equal.ts"
import type { Bytes } from "../quantities.ts"
import { instructionEnd } from "./instruction.ts"

const startsWith = (script: Uint8Array, at: number, needle: Uint8Array): boolean => {
  for (let i = 0; i < needle.length; i++) if (script[at + i] !== needle[i]) return false
  return true
}

/**
 * `script` without every occurrence of `needle` that starts where an instruction starts; the same array when there is
 * none.
 *
 * After a deletion the search goes on at the byte behind it, so that several in a row all go. An occurrence inside the
 * data of a push is not one (CVE-2024-38365). Behind an instruction that is cut off nothing is searched.
 *
 * @spec SCR-015 #8cae15e8
 */
export const findAndDelete = (script: Bytes, needle: Bytes): Bytes => {
  if (needle.length === 0) return script
  const kept: Array<Uint8Array> = []
  let keptFrom = 0
  let pc = 0
  while (pc < script.length) {
    if (!startsWith(script, pc, needle)) {
      pc = instructionEnd(script, pc)
      continue
    }
    kept.push(script.subarray(keptFrom, pc))
    pc += needle.length
    keptFrom = pc
  }
  if (kept.length === 0) return script
  kept.push(script.subarray(keptFrom))
  return concatBytes(kept)
}
