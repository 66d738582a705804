import { COMMAND_SIZE, commandField } from "../command-field.ts"

const MAGIC_SIZE = 4

/** Bytes by which an inbound peer shows that it speaks v1. */
export const V1_BEGINNING_SIZE = MAGIC_SIZE + COMMAND_SIZE

const VERSION = commandField("version")

/** Returns the first bytes of a v1 peer of this network: the start of the frame header of `version`. */
export const v1Beginning = (magic: Uint8Array): Uint8Array => Uint8Array.of(...magic, ...VERSION)

/** Reports whether the peer speaks v1 on another network. Precondition: that many bytes have arrived. */
export const isOtherNetwork = (bytes: Uint8Array): boolean => VERSION.every((byte, i) => bytes[MAGIC_SIZE + i] === byte)

const isOfCommand = (byte: number): boolean =>
  byte === 0 || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39)

/**
 * Reports whether the bytes are the head of a v1 message of this network. A node that only speaks v1 sends `version` at
 * once, or rejects what it cannot read. A key begins like that less than once in 2^60 times.
 */
export const isV1Answer = (bytes: Uint8Array, magic: Uint8Array): boolean =>
  bytes.length >= V1_BEGINNING_SIZE && magic.every((byte, i) => bytes[i] === byte) &&
  bytes.subarray(MAGIC_SIZE, V1_BEGINNING_SIZE).every(isOfCommand)
