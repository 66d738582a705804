import * as Effect from "effect/Effect"
import { join } from "node:path"
import { secondsOf } from "../../quantities.ts"
import { addressBook, type AddressBook } from "../addresses/address-book.ts"
import { decodeAddresses, encodeAddresses } from "../addresses/saved-addresses.ts"
import { type Ban, type BanList, decodeBans, encodeBans } from "../connections/ban-list.ts"
import { endpointText, parseEndpoint } from "../../net/endpoint-text.ts"
import type { Environment } from "../environment.ts"
import type { P2pNotifications } from "../p2p-notifications.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { putAside, readSmallFile, replaceSmallFile } from "./small-file.ts"

/** What the network layer knows from the last run. */
export interface SavedNetwork {
  readonly book: AddressBook
  readonly bans: ReadonlyArray<Ban>
  readonly anchors: ReadonlyArray<Endpoint>
}

/** What it has to know after the next start. */
export interface Keep {
  readonly book: AddressBook
  readonly bans: BanList
  readonly anchors: () => ReadonlyArray<Endpoint>
}

/** Keeps what the network layer knows in the data directory of its network. */
export interface SavedFiles {
  /** The saved files. A damaged file is moved aside and logged, and the node starts without it. */
  readonly load: Effect.Effect<SavedNetwork>
  /** Keeps addresses and bans. */
  readonly save: (keep: Keep) => Effect.Effect<void>
  /** Keeps bans, if they changed since they were kept last. */
  readonly saveBans: (bans: BanList) => Effect.Effect<void>
  /** The last thing before a stop: addresses, bans and the peers to connect to first. */
  readonly saveAll: (keep: Keep) => Effect.Effect<void>
}

const FILES = { addresses: "peers.json", bans: "banlist.json", anchors: "anchors.json" } as const

const encodeAnchors = (anchors: ReadonlyArray<Endpoint>): string =>
  `${JSON.stringify({ anchors: anchors.map(endpointText) })}\n`

const decodeAnchors = (text: string): ReadonlyArray<Endpoint> | undefined => {
  try {
    const { anchors } = JSON.parse(text) as { readonly anchors: ReadonlyArray<string> }
    return anchors.flatMap((each) => parseEndpoint(each, 0) ?? []).slice(0, 2)
  } catch {
    return undefined
  }
}

export const savedFiles = (directory: string, environment: Environment, notify: P2pNotifications): SavedFiles => {
  let bansKept = -1

  const loadOne = <A>(name: string, decode: (text: string) => A | undefined): Effect.Effect<A | undefined> =>
    Effect.gen(function*() {
      const path = join(directory, name)
      const { bytes, fault } = yield* readSmallFile(path)
      const value = bytes === undefined ? undefined : decode(Buffer.from(bytes).toString())
      if (value !== undefined || (bytes === undefined && fault === undefined)) return value
      notify.log(
        "warn",
        `${path} is damaged${fault === undefined ? "" : ` (${fault})`}: the node starts without it, and it is ` +
          `kept as ${name}.damaged. Nothing has to be done`
      )
      yield* putAside(path)
      return undefined
    })

  const write = (name: string, text: string): Effect.Effect<boolean> =>
    Effect.map(replaceSmallFile(join(directory, name), Buffer.from(text)), (fault) => {
      if (fault !== undefined) {
        notify.log("warn", `${join(directory, name)} cannot be written: ${fault}. It is tried again later`)
      }
      return fault === undefined
    })

  const saveBans = (bans: BanList): Effect.Effect<void> =>
    Effect.gen(function*() {
      const version = bans.version()
      if (version === bansKept) return
      const isDone = yield* write(FILES.bans, encodeBans(bans.list(secondsOf(environment.now()))))
      if (isDone) bansKept = version
    })

  const save = ({ bans, book }: Keep): Effect.Effect<void> =>
    Effect.andThen(write(FILES.addresses, encodeAddresses(book.table)), saveBans(bans))

  return {
    load: Effect.gen(function*() {
      const table = yield* loadOne(FILES.addresses, decodeAddresses)
      const bans = yield* loadOne(FILES.bans, decodeBans)
      const anchors = yield* loadOne(FILES.anchors, decodeAnchors)
      // The anchors are for the first start after a stop alone: later their addresses may belong to other nodes.
      if (anchors !== undefined && anchors.length > 0) yield* write(FILES.anchors, encodeAnchors([]))
      return { book: addressBook(environment, table), bans: bans ?? [], anchors: anchors ?? [] }
    }),
    save,
    saveBans,
    saveAll: (keep) => Effect.andThen(save(keep), write(FILES.anchors, encodeAnchors(keep.anchors())))
  }
}
