import { concatBytes } from "@lockstep/kernel/bytes"

const NOTHING = new Uint8Array(0)

/** Bytes that have arrived and were not read yet. */
export interface PacketInput {
  chunk: Uint8Array
  at: number
}

/** Returns an empty input. */
export const packetInput = (): PacketInput => ({ chunk: NOTHING, at: 0 })

export const available = ({ at, chunk }: PacketInput): number => chunk.length - at

/** Adds a chunk. */
export const add = (input: PacketInput, bytes: Uint8Array): void => {
  input.chunk = available(input) === 0 ? bytes : concatBytes([input.chunk.subarray(input.at), bytes])
  input.at = 0
}

/** Returns the next bytes, at most `most`, as a view. */
export const takePacketBytes = (input: PacketInput, most: number): Uint8Array => {
  const end = Math.min(input.chunk.length, input.at + most)
  const taken = input.chunk.subarray(input.at, end)
  input.at = end
  return taken
}

/** Returns all remaining bytes. */
export const takeAll = (input: PacketInput): Uint8Array => {
  const rest = input.chunk.subarray(input.at)
  clear(input)
  return rest
}

/** Returns the last `count` bytes to the input. */
export const putBack = (input: PacketInput, count: number): void => {
  input.at -= count
}

export const clear = (input: PacketInput): void => {
  input.chunk = NOTHING
  input.at = 0
}
