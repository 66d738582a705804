import { commandBytes } from "./frames.ts"

/** Bytes of a greeting. */
export const GREETING_BYTES = 64

const SIGNATURE_END = 9
const VERSION = 10
const MECHANISM = 12

/**
 * Builds the greeting of ZMTP 3.1 with the mechanism NULL: neither encryption nor authentication, as in Bitcoin Core.
 */
export const greeting = (): Buffer => {
  const bytes = Buffer.alloc(GREETING_BYTES)
  bytes[0] = 0xff
  bytes[SIGNATURE_END] = 0x7f
  bytes[VERSION] = 3
  bytes[VERSION + 1] = 1
  bytes.write("NULL", MECHANISM, "latin1")
  return bytes
}

/** Reports whether these 64 bytes are a greeting of version 3 or later without encryption. */
export const isGreeting = (bytes: Buffer): boolean =>
  bytes[0] === 0xff && bytes[SIGNATURE_END] === 0x7f && bytes[VERSION]! >= 3 &&
  bytes.toString("latin1", MECHANISM, MECHANISM + 20).replace(/\0+$/, "") === "NULL"

const property = (name: string, value: string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(value.length)
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name, "latin1"), length, Buffer.from(value, "latin1")])
}

/** Builds the command that ends the handshake on this side. */
export const ready = (): Buffer => commandBytes("READY", property("Socket-Type", "PUB"))
