import { concatBytes } from "@lockstep/kernel/bytes"

const NOTHING = new Uint8Array(0)

/** What has arrived and was not read yet. */
export interface PacketInput {
  chunk: Uint8Array
  at: number
}

/** Nothing has arrived. */
export const packetInput = (): PacketInput => ({ chunk: NOTHING, at: 0 })

export const available = ({ at, chunk }: PacketInput): number => chunk.length - at

/** Adds a piece. */
export const add = (input: PacketInput, bytes: Uint8Array): void => {
  input.chunk = available(input) === 0 ? bytes : concatBytes([input.chunk.subarray(input.at), bytes])
  input.at = 0
}

/** The next bytes, at most `most`, as a view. */
export const takePacketBytes = (input: PacketInput, most: number): Uint8Array => {
  const end = Math.min(input.chunk.length, input.at + most)
  const taken = input.chunk.subarray(input.at, end)
  input.at = end
  return taken
}

/** Takes all that is left. */
export const takeAll = (input: PacketInput): Uint8Array => {
  const rest = input.chunk.subarray(input.at)
  clear(input)
  return rest
}

/** Gives the last `count` bytes that were taken back. */
export const putBack = (input: PacketInput, count: number): void => {
  input.at -= count
}

export const clear = (input: PacketInput): void => {
  input.chunk = NOTHING
  input.at = 0
}
