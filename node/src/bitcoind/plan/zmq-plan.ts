import { DEFAULT_HIGH_WATER, type Notifier, TOPICS } from "@lockstep/zmq"
import type { PlanDraft } from "./draft.ts"
import { clamp, numberGiven } from "./draft.ts"
import { splitHostAndPort } from "./places-of.ts"

const MOST_WAITING = 2 ** 31 - 1
/** What Bitcoin Core checks before it starts: a port, where the text has one colon alone; what is a path has none. */
const hasPort = (address: string): boolean =>
  address.startsWith("unix:") || address.startsWith("ipc:") || splitHostAndPort(address) !== undefined

/** As ZeroMQ writes it. */
const addressOf = (text: string): string => text.startsWith("unix:") ? `ipc://${text.slice("unix:".length)}` : text

/** What the options publish through ZeroMQ; `0` is no address. */
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
