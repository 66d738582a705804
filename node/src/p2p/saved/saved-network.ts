import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { secondsOf } from "../../quantities.ts"
import { addressBook, type AddressBook } from "../addresses/address-book.ts"
import { decodeAddresses, encodeAddresses } from "../addresses/saved-addresses.ts"
import type { Anchor } from "../connections/connections.ts"
import { type Ban, type BanList, decodeBans, encodeBans } from "../connections/ban-list.ts"
import { endpointText, parseEndpoint } from "../../net/endpoint-text.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import { checkedBook } from "../addresses/checked-book.ts"
import { type AddressTable, emptyTable } from "../addresses/table/address-table.ts"
import type { Environment, Random } from "../basics/environment.ts"
import type { AddressFileError, CoreNetworkFiles } from "./core-network-files.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { loadKept } from "./load-kept.ts"
import { replaceSmallFile } from "./small-file.ts"

/** State of the network layer from the last run. */
export interface SavedNetwork {
  readonly book: AddressBook
  readonly bans: ReadonlyArray<Ban>
  readonly anchors: ReadonlyArray<Endpoint>
}

/** State of the network layer to save for the next start. */
export interface Keep {
  readonly book: AddressBook
  readonly bans: BanList
  readonly anchors: () => ReadonlyArray<Anchor>
}

/** Saves the state of the network layer in the data directory. */
export interface SavedFiles {
  /**
   * Loads the saved files. A damaged file is moved aside and logged, and the node starts without it; an unreadable one
   * stays.
   */
  readonly load: Effect.Effect<SavedNetwork, AddressFileError>
  /** Saves addresses and bans. */
  readonly save: (keep: Keep) => Effect.Effect<void>
  /** Saves bans, if they changed since they were last saved. */
  readonly saveBans: (bans: BanList) => Effect.Effect<void>
  /** Saves addresses, bans and anchors as the last step of a stop. */
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

/** Directory and formats of the files. */
export interface SavedPlaces {
  readonly directory: string
  /** True if the node chooses peers; the default. Otherwise the anchors stay unchanged for a start that does. */
  readonly choosesPeers?: boolean | undefined
  /** Bitcoin Core's `peers.dat` and `anchors.dat` beside the bans; absent for this node's own files. */
  readonly core?: CoreNetworkFiles | undefined
  /** Key and randomness of the addrman; those of the machine if absent. */
  readonly addrman?: { readonly key: Uint8Array; readonly random: Random } | undefined
  /** One in this many operations of the addrman checks it; never if 0 or absent. */
  readonly checkRatio?: number | undefined
  /** Network groups of addresses; by address prefix if absent. */
  readonly groups?: NetGroups | undefined
}

export const savedFiles = (
  { addrman, checkRatio = 0, choosesPeers = true, core, directory, groups }: SavedPlaces,
  environment: Environment,
  notify: P2pNotifications
): SavedFiles => {
  let bansKept = -1
  /** Files that may hold more than this run has read. */
  const unreadable = new Set<string>()

  const loadOne = <A>(name: string, decode: (text: string) => A | undefined): Effect.Effect<A | undefined> =>
    Effect.map(loadKept(join(directory, name), decode, notify), ({ isUnreadable, value }) => {
      if (isUnreadable) unreadable.add(name)
      return value
    })

  const write = (name: string, text: string): Effect.Effect<boolean> =>
    unreadable.has(name) ?
      Effect.succeed(true) :
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

  const noteUnwritten = (path: string, fault: string | undefined): void => {
    if (fault !== undefined) notify.log("warn", `${path} cannot be written: ${fault}. It is tried again later`)
  }

  const saveTable = (table: AddressTable): Effect.Effect<void> =>
    core === undefined
      ? Effect.asVoid(write(FILES.addresses, encodeAddresses(table)))
      : Effect.map(core.saveTable(table), (fault) => noteUnwritten(join(directory, "peers.dat"), fault))

  const saveAnchors = (anchors: ReadonlyArray<Anchor>): Effect.Effect<void> => {
    if (!choosesPeers) return Effect.void
    return core === undefined
      ? Effect.asVoid(write(FILES.anchors, encodeAnchors(anchors)))
      : Effect.map(core.saveAnchors(anchors), (fault) => noteUnwritten(join(directory, "anchors.dat"), fault))
  }

  const loadAnchors: Effect.Effect<ReadonlyArray<Endpoint>> = Effect.gen(function*() {
    if (!choosesPeers) return []
    if (core !== undefined) return yield* core.loadAnchors
    const anchors = (yield* loadOne(FILES.anchors, decodeAnchors)) ?? []
    // The anchors only serve the first start after a stop, as their addresses may later belong to other nodes.
    if (anchors.length > 0) yield* write(FILES.anchors, encodeAnchors([]))
    return anchors
  })

  /** Creates the ban list, unless its file exists but could not be read. */
  const beginBans: Effect.Effect<void> = Effect.suspend(() => {
    if (unreadable.has(FILES.bans)) return Effect.void
    notify.trace?.({ _tag: "BanListCreated" })
    if (core === undefined || existsSync(join(directory, FILES.bans))) return Effect.void
    return Effect.asVoid(write(FILES.bans, encodeBans([])))
  })

  const save = ({ bans, book }: Keep): Effect.Effect<void> => Effect.andThen(saveTable(book.table), saveBans(bans))

  return {
    load: Effect.gen(function*() {
      const table = core === undefined
        ? yield* loadOne(FILES.addresses, (text) => decodeAddresses(text, groups))
        : yield* core.loadTable
      notify.trace?.({ _tag: "StageBegun", stage: "bans" })
      const bans = yield* loadOne(FILES.bans, decodeBans)
      if (bans === undefined) yield* beginBans
      const anchors = yield* loadAnchors
      const given = table ?? (addrman === undefined ? undefined : emptyTable(addrman.key, groups))
      const book = addressBook({ ...environment, random: addrman?.random ?? environment.random }, given, groups)
      // An operator who backs up or watches the files finds all of them from the first start on.
      if (core !== undefined && table === undefined) yield* saveTable(book.table)
      return { book: checkRatio === 0 ? book : checkedBook(book, checkRatio, notify), bans: bans ?? [], anchors }
    }),
    save,
    saveBans,
    saveAll: (keep) => Effect.andThen(save(keep), saveAnchors(keep.anchors()))
  }
}
