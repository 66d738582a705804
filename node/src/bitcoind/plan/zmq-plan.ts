import { DEFAULT_HIGH_WATER, type Notifier, TOPICS } from "@lockstep/zmq"
import type { PlanDraft } from "./draft.ts"
import { clamp, numberGiven } from "./draft.ts"
import { splitHostAndPort } from "./places-of.ts"

const MOST_WAITING = 2 ** 31 - 1
/** Checks the port as Bitcoin Core does before it starts. Paths have none. */
const hasPort = (address: string): boolean =>
  address.startsWith("unix:") || address.startsWith("ipc:") || splitHostAndPort(address) !== undefined

/** Returns an address in ZeroMQ's spelling. */
const addressOf = (text: string): string => text.startsWith("unix:") ? `ipc://${text.slice("unix:".length)}` : text

/** Plans the ZeroMQ notifications. `0` is no address. */
export const planZmq = (draft: PlanDraft): ReadonlyArray<Notifier> =>
  TOPICS.flatMap((topic) => {
    const highWater = clamp(numberGiven(draft, `zmqpub${topic}hwm`, DEFAULT_HIGH_WATER), 0, MOST_WAITING)
    return draft.args.list(`zmqpub${topic}`).filter((text) => text !== "" && text !== "0").map((text): Notifier => {
      if (!hasPort(text)) {
        draft.problems.push(`Invalid port specified in -zmqpub${topic}: '${text}'`)
      }
      return { topic, address: addressOf(text), highWater }
    })
  })
