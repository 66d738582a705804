import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { AddressBook } from "./address-book.ts"
import { tableFault } from "./table/table-fault.ts"

/**
 * Wraps the addrman so that one in `ratio` operations checks the table (Core's `-checkaddrman`). An inconsistent table
 * is logged as an error.
 */
export const checkedBook = (book: AddressBook, ratio: number, notify: P2pNotifications): AddressBook => {
  let looks = 0

  const check = (): void => {
    looks = (looks + 1) % ratio
    if (looks !== 0) return
    const { freshCount, list, triedCount } = book.table
    notify.trace?.({ _tag: "AddrmanCheck", fresh: freshCount, tried: triedCount, total: list.length })
    const fault = tableFault(book.table)
    if (fault !== undefined) notify.log("error", `the table of addresses does not hold together: ${fault}`)
    notify.trace?.({ _tag: "AddrmanChecked" })
  }

  return {
    ...book,
    add: (...given) => {
      const added = book.add(...given)
      check()
      return added
    },
    choose: (wanted) => {
      check()
      return book.choose(wanted)
    },
    good: (endpoint) => {
      book.good(endpoint)
      check()
    },
    sample: (...bounds) => {
      check()
      return book.sample(...bounds)
    }
  }
}
