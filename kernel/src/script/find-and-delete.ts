import { concatBytes } from "../bytes/equal.ts"
import type { Bytes } from "../quantities.ts"
import { instructionEnd } from "./instruction.ts"

const startsWith = (script: Uint8Array, at: number, needle: Uint8Array): boolean => {
  for (let i = 0; i < needle.length; i++) if (script[at + i] !== needle[i]) return false
  return true
}

/**
 * Returns `script` without every occurrence of `needle` that starts where an instruction starts; the same array if it
 * has no such occurrence.
 *
 * After a deletion the search continues at the byte after it, so that several in a row are all deleted. An occurrence
 * inside the data of a push is not one (CVE-2024-38365). After a truncated instruction nothing is searched.
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
