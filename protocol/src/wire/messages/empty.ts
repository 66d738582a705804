import type { Codec } from "../codec.ts"

/** A message without a payload. */
export interface EmptyMessage<C extends string> {
  readonly command: C
}

const NOTHING = new Uint8Array(0)

const empty = <C extends string>(command: C): Codec<EmptyMessage<C>> => ({
  read: () => ({ command }),
  write: () => NOTHING
})

/** The handshake is complete on the sender's side. */
export const verack = empty("verack")
/** Requests addresses of nodes. */
export const getaddr = empty("getaddr")
/** Requests an inventory of the mempool. */
export const mempool = empty("mempool")
/** Removes the bloom filter of the sender, which wants all transactions again (BIP37). */
export const filterclear = empty("filterclear")
/** Requests `addrv2` instead of `addr`; sent before `verack` (BIP155). */
export const sendaddrv2 = empty("sendaddrv2")
/** Transactions are announced by their witness ids; sent before `verack` (BIP339). */
export const wtxidrelay = empty("wtxidrelay")
/** Requests that new blocks are announced by their headers (BIP130). */
export const sendheaders = empty("sendheaders")
