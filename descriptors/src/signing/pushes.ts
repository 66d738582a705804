import { concatBytes } from "@lockstep/kernel/bytes"
import { dataPush } from "../descriptor/scripts.ts"

const smallPush = (element: Uint8Array): Uint8Array => {
  if (element.length === 1 && element[0]! >= 1 && element[0]! <= 16) return Uint8Array.of(0x50 + element[0]!)
  return element.length === 1 && element[0] === 0x81 ? Uint8Array.of(0x4f) : dataPush(element)
}

/** A script that pushes elements, each in its shortest form. */
export const pushes = (elements: ReadonlyArray<Uint8Array>): Uint8Array => concatBytes(elements.map(smallPush))
