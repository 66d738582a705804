import { COMMAND_SIZE, commandField } from "../command-field.ts"

const MAGIC_SIZE = 4

/** Bytes in which an inbound peer shows that it speaks v1. */
export const V1_BEGINNING_SIZE = MAGIC_SIZE + COMMAND_SIZE

const VERSION = commandField("version")

/** How a v1 peer of this network begins: with the frame header of `version`. */
export const v1Beginning = (magic: Uint8Array): Uint8Array => Uint8Array.of(...magic, ...VERSION)

/** Whether it is a v1 peer of another network. Precondition: there are as many bytes. */
export const isOtherNetwork = (bytes: Uint8Array): boolean => VERSION.every((byte, i) => bytes[MAGIC_SIZE + i] === byte)
