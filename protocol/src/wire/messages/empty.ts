import type { Codec } from "../codec.ts"

/** A message that says all by its command. */
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
/** Asks for addresses of nodes. */
export const getaddr = empty("getaddr")
/** Asks for an inventory of the memory pool. */
export const mempool = empty("mempool")
/** Removes the bloom filter of the sender, who wants all transactions again (BIP37). */
export const filterclear = empty("filterclear")
/** Asks for `addrv2` instead of `addr`; before `verack` (BIP155). */
export const sendaddrv2 = empty("sendaddrv2")
/** Transactions are announced by their witness ids; before `verack` (BIP339). */
export const wtxidrelay = empty("wtxidrelay")
/** Asks for new blocks to be announced by their headers (BIP130). */
export const sendheaders = empty("sendheaders")
