import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { copyFile, unlink } from "node:fs/promises"
import { join } from "node:path"
import { monotonicClock } from "../../clock.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { AddressTable } from "../addresses/table/address-table.ts"
import type { Anchor } from "../connections/connections.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { decodeAnchorsFile, encodeAnchorsFile } from "./core-anchors-file.ts"
import { decodePeersFile, encodePeersFile } from "./core-peers-file.ts"
import { leftAsItIs, readSmallFile, replaceSmallFile } from "./small-file.ts"

/** A `peers.dat` with which the node does not start. `message` gives the reason in Bitcoin Core's words. */
export class AddressFileError
  extends Schema.TaggedError<AddressFileError>()("AddressFileError", { message: Schema.String })
{}

/** The files in which Bitcoin Core keeps addresses and anchors, in its formats. */
export interface CoreNetworkFiles {
  /** Loads the table of `peers.dat`, or `undefined` if the file is missing, unreadable or of another version. */
  readonly loadTable: Effect.Effect<AddressTable | undefined, AddressFileError>
  /** Saves the table. Returns the reason of a failure, or `undefined`. */
  readonly saveTable: (table: AddressTable) => Effect.Effect<string | undefined>
  /** Loads the anchors and deletes their file: they only serve the first start after a stop. */
  readonly loadAnchors: Effect.Effect<ReadonlyArray<Endpoint>>
  readonly saveAnchors: (anchors: ReadonlyArray<Anchor>) => Effect.Effect<string | undefined>
}

export interface CoreNetworkPlaces {
  readonly directory: string
  /** Network magic at the start of the files. */
  readonly magic: Uint8Array
  readonly groups?: NetGroups | undefined
}

/** Core: `CLIENT_BUGREPORT`. This project has no public tracker, and Bitcoin Core is not responsible for its faults. */
const REPORTS = "none"

const corrupt = (path: string, reason: string): AddressFileError =>
  new AddressFileError({
    message:
      `Invalid or corrupt peers.dat (${reason}). If you believe this is a bug, please report it to ${REPORTS}. ` +
      `As a workaround, you can move the file ("${path}") out of the way (rename, move, or delete) to have a new one ` +
      "created on the next start."
  })

export const coreNetworkFiles = (
  { directory, groups, magic }: CoreNetworkPlaces,
  { log, trace }: P2pNotifications
): CoreNetworkFiles => {
  /** Files that may hold more than this run has read. */
  const unreadable = new Set<string>()
  const peers = join(directory, "peers.dat")
  const anchors = join(directory, "anchors.dat")

  const loadTable = Effect.gen(function*() {
    const elapsed = yield* monotonicClock
    const begin = elapsed()
    const { bytes, fault, isUnreadable } = yield* readSmallFile(peers)
    if (fault !== undefined && isUnreadable) {
      unreadable.add(peers)
      log("warn", leftAsItIs(fault))
      return undefined
    }
    if (fault !== undefined) return yield* corrupt(peers, fault)
    if (bytes === undefined) {
      trace?.({ _tag: "AddressFileMissing", path: peers })
      return undefined
    }
    const table = decodePeersFile(bytes, magic, groups)
    if (!("reason" in table)) {
      trace?.({ _tag: "PeersFileLoaded", count: table.list.length, took: elapsed() - begin })
      return table
    }
    if (!table.isOther) return yield* corrupt(peers, table.reason)
    yield* Effect.promise(() => copyFile(peers, `${peers}.bak`))
    trace?.({ _tag: "PeersFileOfOtherVersion", path: peers })
    return undefined
  })

  return {
    loadTable,
    saveTable: (table) =>
      unreadable.has(peers) ? Effect.succeed(undefined) : replaceSmallFile(peers, encodePeersFile(table, magic)),
    loadAnchors: Effect.gen(function*() {
      const { bytes, fault, isUnreadable } = yield* readSmallFile(anchors)
      if (fault !== undefined && isUnreadable) {
        unreadable.add(anchors)
        log("warn", leftAsItIs(fault))
      }
      const found = bytes === undefined ? [] : decodeAnchorsFile(bytes, magic) ?? []
      // A remaining file would be read again at the next start, unless the stop replaces it.
      if (bytes !== undefined) yield* Effect.promise(() => unlink(anchors).catch(() => undefined))
      trace?.({ _tag: "AnchorsLoaded", count: found.length })
      return found
    }),
    saveAnchors: (endpoints) => {
      if (unreadable.has(anchors)) return Effect.succeed(undefined)
      const saved = (isDone: boolean): void => trace?.({ _tag: "AnchorsSaved", count: endpoints.length, isDone })
      saved(false)
      return Effect.tap(
        replaceSmallFile(anchors, encodeAnchorsFile(endpoints, magic)),
        () => Effect.sync(() => saved(true))
      )
    }
  }
}
