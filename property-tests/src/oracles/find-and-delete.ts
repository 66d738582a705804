import { join, sameBytes } from "./byte-string.ts"
import { instructionAt } from "./instructions.ts"

/**
 * `script` without the places where `needle` stands at the start of an instruction, and how many there were.
 * A deletion exposes the bytes behind it as the next start. An empty needle is nowhere.
 */
export const findAndDelete = (
  script: Uint8Array,
  needle: Uint8Array
): { readonly script: Uint8Array; readonly found: number } => {
  if (needle.length === 0) return { script, found: 0 }
  const kept: Array<Uint8Array> = []
  let found = 0
  let at = 0
  while (at < script.length) {
    if (sameBytes(script.subarray(at, at + needle.length), needle)) {
      found++
      at += needle.length
      continue
    }
    const end = instructionAt(script, at)?.end ?? script.length
    kept.push(script.subarray(at, end))
    at = end
  }
  return { script: join(...kept), found }
}
