import * as Effect from "effect/Effect"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { leftAsItIs, putAside, readSmallFile } from "./small-file.ts"

/** The content of a file of the last run. */
export interface Kept<A> {
  /** `undefined` if the file is missing or unusable. */
  readonly value: A | undefined
  /** True if the file may hold more than was read, and must not be overwritten. */
  readonly isUnreadable: boolean
}

/** Reads a file of the last run. A damaged file is moved aside; an unreadable one stays. Both are logged. */
export const loadKept = <A>(
  path: string,
  decode: (text: string) => A | undefined,
  notify: P2pNotifications
): Effect.Effect<Kept<A>> =>
  Effect.gen(function*() {
    const { bytes, fault, isUnreadable } = yield* readSmallFile(path)
    if (fault !== undefined && isUnreadable) {
      notify.log("warn", leftAsItIs(fault))
      return { value: undefined, isUnreadable }
    }
    const value = bytes === undefined ? undefined : decode(Buffer.from(bytes).toString())
    if (value !== undefined || (bytes === undefined && fault === undefined)) return { value, isUnreadable: false }
    const aside = yield* putAside(path)
    notify.log(
      "warn",
      `${path} is damaged${fault === undefined ? "" : ` (${fault})`}: the node starts without it, and it ` +
        (aside === undefined ? "cannot be moved aside" : `is kept as ${aside}. Nothing has to be done`)
    )
    return { value: undefined, isUnreadable: false }
  })
