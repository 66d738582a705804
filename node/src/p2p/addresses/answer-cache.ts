import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { Chance } from "../environment.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import type { AddressBook } from "./address-book.ts"
import { asAddress } from "./table/known-node.ts"

const HOUR = 3_600_000

/**
 * Answers to `getaddr`: for all who ask at the same place of ours the same one for about a day, so that nobody can read the
 * whole book by asking again, nor find by their differences which places are ours.
 */
export const answerCache = (book: AddressBook, chance: Chance) => {
  const cached = new Map<string, { readonly until: number; readonly addresses: ReadonlyArray<KnownAddress> }>()
  return (place: string, most: number, now: number): ReadonlyArray<KnownAddress> => {
    const found = cached.get(place)
    if (found !== undefined && found.until > now) return found.addresses
    const { answered, answeredShare } = ADDRESS_LIMITS
    const addresses = book.sample(Math.min(most, answered.most), answeredShare.most).map(asAddress)
    cached.set(place, { until: now + 21 * HOUR + chance.below(6 * HOUR), addresses })
    return addresses
  }
}
