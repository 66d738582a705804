import type { Moment, UnixMilliseconds } from "../../quantities.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { Random } from "../basics/environment.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import type { AddressBook } from "./address-book.ts"
import { asAddress } from "./table/known-node.ts"
import { MILLISECONDS } from "../../units.ts"

/**
 * The cache of answers to `getaddr`. All peers that connect to the same local address get the same answer for about a
 * day. So a peer cannot read the whole addrman by repeated requests, nor find out by the differences which addresses
 * belong to this node.
 */
export const answerCache = (book: AddressBook, random: Random) => {
  const cached = new Map<string, { readonly until: Moment; readonly addresses: ReadonlyArray<KnownAddress> }>()
  const { answered, answeredShare } = ADDRESS_LIMITS
  const fresh = (most: number): ReadonlyArray<KnownAddress> =>
    book.sample(Math.min(most, answered.most), answeredShare.most).map(asAddress)
  return {
    /** Makes an answer for a peer that may read addresses without limit. */
    fresh,
    cached: (place: string, most: number, now: UnixMilliseconds): ReadonlyArray<KnownAddress> => {
      const found = cached.get(place)
      if (found !== undefined && found.until > now) return found.addresses
      const addresses = fresh(most)
      cached.set(place, { until: now + 21 * MILLISECONDS.hour + random.below(6 * MILLISECONDS.hour), addresses })
      return addresses
    }
  }
}
