const CHARACTERS = "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "
const CHECKSUM = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const LENGTH = 8

// The generator's coefficients, and the 40-bit state, each as a high and a low half of 20 bits: exact and fast in
// doubles.
const GENERATOR: ReadonlyArray<readonly [high: number, low: number]> = [
  [0xf5dee, 0x51989],
  [0xa9fdc, 0xa3312],
  [0x1bab1, 0x0e32d],
  [0x3706b, 0x1677a],
  [0x644d6, 0x26ffd]
]

interface State {
  high: number
  low: number
}

const absorb = (state: State, value: number): void => {
  const top = state.high >>> 15
  const high = ((state.high & 0x7fff) << 5) | (state.low >>> 15)
  const low = ((state.low & 0x7fff) << 5) ^ value
  state.high = high
  state.low = low
  for (let i = 0; i < GENERATOR.length; i++) {
    if (((top >>> i) & 1) === 0) continue
    state.high ^= GENERATOR[i]![0]
    state.low ^= GENERATOR[i]![1]
  }
}

/**
 * Returns the eight characters after a descriptor's `#` (BIP380), or `undefined` if it has a character that is not
 * allowed.
 */
export const descriptorChecksum = (descriptor: string): string | undefined => {
  const state: State = { high: 0, low: 1 }
  let group = 0
  let pending = 0
  for (const character of descriptor) {
    const position = CHARACTERS.indexOf(character)
    if (position < 0) return undefined
    absorb(state, position & 31)
    group = group * 3 + (position >> 5)
    pending++
    if (pending === 3) {
      absorb(state, group)
      group = 0
      pending = 0
    }
  }
  if (pending > 0) absorb(state, group)
  for (let i = 0; i < LENGTH; i++) absorb(state, 0)
  const low = state.low ^ 1
  let text = ""
  for (let i = 0; i < LENGTH; i++) {
    const half = i < 4 ? state.high : low
    text += CHECKSUM[(half >>> (5 * (3 - (i % 4)))) & 31]
  }
  return text
}

/** Appends the checksum to a descriptor. Precondition: it has only characters that descriptors allow. */
export const withChecksum = (descriptor: string): string => `${descriptor}#${descriptorChecksum(descriptor)}`
