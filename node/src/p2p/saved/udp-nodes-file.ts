import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { secondsOf } from "../../quantities.ts"
import { decodeUdpNodes, encodeUdpNodes } from "../addresses/udp/saved-udp-book.ts"
import { type UdpBook, udpBook } from "../addresses/udp/udp-book.ts"
import type { Environment } from "../basics/environment.ts"
import type { Scheduler } from "../../engine/options/scheduler.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { loadKept } from "./load-kept.ts"
import { replaceSmallFile } from "./small-file.ts"

/** Name of the file with nodes over QUIC and Iroh in the data directory. */
export const UDP_NODES = "udp-peers.json"

const SAVE_INTERVAL = Duration.minutes(15)

/**
 * Loads the nodes of a file, and saves them periodically and when the scope ends. A damaged file is moved aside and
 * logged; an unreadable one stays unchanged.
 */
export const keptUdpBook = Effect.fn("p2p.keptUdpBook")(function*(
  path: string,
  { now, random }: Pick<Environment, "now" | "random">,
  scheduler: Scheduler,
  notify: P2pNotifications
): Effect.fn.Return<UdpBook, never, Scope.Scope> {
  const { isUnreadable, value: nodes } = yield* loadKept(path, decodeUdpNodes, notify)
  const book = udpBook(() => secondsOf(now()), random, nodes)
  const save = Effect.flatMap(
    Effect.suspend(() => replaceSmallFile(path, Buffer.from(encodeUdpNodes(book.list())))),
    (failure) =>
      Effect.sync(() => {
        if (failure !== undefined) notify.log("warn", `${path} cannot be written: ${failure}. It is tried again later`)
      })
  )
  if (isUnreadable) return book
  yield* addFinalizer(() => save)
  yield* Effect.forkScoped(scheduler.every(SAVE_INTERVAL, save))
  return book
})
