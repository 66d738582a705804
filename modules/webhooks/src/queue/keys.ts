/** Keys of the module's database: `c` the position in the chain, `n` and `d` of each hook, and its events in order. */

const TEXT = new TextEncoder()
const NUMBER_BYTES = 8

export const CHAIN_KEY = TEXT.encode("c")

/** Key of the number of a hook's next event. */
export const nextNumberKey = (hook: string): Uint8Array => TEXT.encode(`n:${hook}`)

/** Key of the number of a hook's dropped events. */
export const droppedKey = (hook: string): Uint8Array => TEXT.encode(`d:${hook}`)

/** Bounds of the keys that begin with a letter and a colon. */
export const keysOf = (letter: string): { readonly from: Uint8Array; readonly to: Uint8Array } => ({
  from: TEXT.encode(`${letter}:`),
  to: TEXT.encode(`${letter};`)
})

/** Returns the name after the letter and the colon. */
export const nameIn = (key: Uint8Array): string => Buffer.from(key.subarray(2)).toString()

export const numberBytes = (number: number): Uint8Array => {
  const bytes = Buffer.alloc(NUMBER_BYTES)
  bytes.writeBigUInt64BE(BigInt(number))
  return bytes
}

export const numberIn = (bytes: Uint8Array | undefined): number | undefined =>
  bytes === undefined ? undefined : Number(Buffer.from(bytes).readBigUInt64BE(0))

/** Key of an event of a hook. No name has a colon, so the key ranges of hooks are disjoint. */
export const eventKey = (hook: string, number: number): Uint8Array =>
  Buffer.concat([TEXT.encode(`q:${hook}:`), numberBytes(number)])

/** Parses the number in the key of an event. */
export const eventNumber = (key: Uint8Array): number => numberIn(key.subarray(key.length - NUMBER_BYTES))!

/** Bounds of the events of a hook. */
export const eventsOf = (hook: string): { readonly from: Uint8Array; readonly to: Uint8Array } => ({
  from: eventKey(hook, 0),
  to: TEXT.encode(`q:${hook};`)
})
