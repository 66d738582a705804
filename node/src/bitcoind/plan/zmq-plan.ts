import { DEFAULT_HIGH_WATER, type Notifier, TOPICS } from "@lockstep/zmq"
import type { PlanDraft } from "./draft.ts"
import { clamp, numberGiven } from "./draft.ts"

const MOST_WAITING = 2 ** 31 - 1
const MAX_PORT = 65_535

/** What Bitcoin Core checks before it starts: a port, unless the address is that of a Unix socket. */
const hasPort = (address: string): boolean => {
  const port = /:(\d+)$/.exec(address)?.[1]
  return port === undefined
    ? !address.slice("tcp://".length).includes(":")
    : Number(port) >= 1 && Number(port) <= MAX_PORT
}

/** As ZeroMQ writes it. */
const addressOf = (text: string): string => text.startsWith("unix:") ? `ipc://${text.slice("unix:".length)}` : text

/** What the options publish through ZeroMQ; `0` is no address. */
export const planZmq = (draft: PlanDraft): ReadonlyArray<Notifier> =>
  TOPICS.flatMap((topic) => {
    const highWater = clamp(numberGiven(draft, `zmqpub${topic}hwm`, DEFAULT_HIGH_WATER), 0, MOST_WAITING)
    return draft.args.list(`zmqpub${topic}`).filter((text) => text !== "" && text !== "0").map((text): Notifier => {
      if (text.startsWith("tcp://") && !hasPort(text)) {
        draft.problems.push(`Invalid port specified in -zmqpub${topic}: '${text}'`)
      }
      return { topic, address: addressOf(text), highWater }
    })
  })
