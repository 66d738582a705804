import { COMMAND_SIZE, commandField, commandOf } from "../command-field.ts"

/** Message types by their one-byte id, from 1 on. An empty one is unassigned. */
const SHORT: ReadonlyArray<string> = [
  "addr",
  "block",
  "blocktxn",
  "cmpctblock",
  "feefilter",
  "filteradd",
  "filterclear",
  "filterload",
  "getblocks",
  "getblocktxn",
  "getdata",
  "getheaders",
  "headers",
  "inv",
  "mempool",
  "merkleblock",
  "notfound",
  "ping",
  "pong",
  "sendcmpct",
  "tx",
  "getcfilters",
  "cfilter",
  "getcfheaders",
  "cfheaders",
  "getcfcheckpt",
  "cfcheckpt",
  "addrv2",
  ...Array.from({ length: 8 }, () => ""),
  "feature"
]

const IDS: ReadonlyMap<string, number> = new Map(SHORT.map((type, i) => [type, i + 1]))

/** Encodes the type before a payload: one byte, or a zero and twelve bytes. */
export const typeBytes = (command: string): Uint8Array => {
  const id = command === "" ? undefined : IDS.get(command)
  if (id !== undefined) return Uint8Array.of(id)
  const bytes = new Uint8Array(1 + COMMAND_SIZE)
  bytes.set(commandField(command), 1)
  return bytes
}

/** Returns the bytes of the type, given the first of them. */
export const typeSize = (first: number): number => first === 0 ? 1 + COMMAND_SIZE : 1

/** Decodes a message type. Returns an empty text for an unassigned id, or `undefined` if the bytes are invalid. */
export const typeOf = (bytes: Uint8Array): string | undefined =>
  bytes[0] === 0 ? commandOf(bytes.subarray(1)) : SHORT[bytes[0]! - 1]
