/** A position in the bits of an asmap, the lowest bit of each byte first. */
export interface BitSource {
  readonly bytes: Uint8Array
  at: number
}

export const bitsLeft = ({ at, bytes }: BitSource): number => bytes.length * 8 - at

/** Reads the next bit. Returns `undefined` at the end. */
export const nextBit = (source: BitSource): number | undefined => {
  if (bitsLeft(source) <= 0) return undefined
  const bit = (source.bytes[source.at >> 3]! >> (source.at & 7)) & 1
  source.at++
  return bit
}

/** Format of integers from `base` on, in classes with these numbers of bits, the short ones first. */
export interface IntegerForm {
  readonly base: number
  readonly classes: ReadonlyArray<number>
}

const classesFrom = (least: number, most: number): ReadonlyArray<number> =>
  Array.from({ length: most - least + 1 }, (_, i) => least + i)

export const ASN_FORM: IntegerForm = { base: 1, classes: classesFrom(15, 24) }
export const MATCH_FORM: IntegerForm = { base: 2, classes: classesFrom(1, 8) }
export const JUMP_FORM: IntegerForm = { base: 17, classes: classesFrom(5, 30) }

/** Reads the next integer: ones count the skipped classes, and the bits of its class follow, the highest first. */
export const nextInteger = (source: BitSource, { base, classes }: IntegerForm): number | undefined => {
  let value = base
  for (const [i, bits] of classes.entries()) {
    const isLast = i === classes.length - 1
    const goesOn = isLast ? 0 : nextBit(source)
    if (goesOn === undefined) return undefined
    if (goesOn === 1) {
      value += 2 ** bits
      continue
    }
    let rest = 0
    for (let k = 0; k < bits; k++) {
      const bit = nextBit(source)
      if (bit === undefined) return undefined
      rest = rest * 2 + bit
    }
    return value + rest
  }
  return undefined
}

export type AsmapInstruction = "return" | "jump" | "match" | "default"

/** Reads the next opcode, which has up to three bits. */
export const nextInstruction = (source: BitSource): AsmapInstruction | undefined => {
  const first = nextBit(source)
  if (first !== 1) return first === 0 ? "return" : undefined
  const second = nextBit(source)
  if (second !== 1) return second === 0 ? "jump" : undefined
  const third = nextBit(source)
  return third === undefined ? undefined : third === 0 ? "match" : "default"
}
