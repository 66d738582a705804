import type { Settings } from "@lockstep/sdk"
import { DEFAULT_HIGH_WATER, type Notifier, TOPICS } from "@lockstep/zmq"

/**
 * Settings named like Bitcoin Core's without `zmq`: addresses of each topic, and the number of messages that may wait.
 */
export const SETTINGS = {
  pubhashblock: [] as ReadonlyArray<string>,
  pubhashblockhwm: DEFAULT_HIGH_WATER as number,
  pubhashtx: [] as ReadonlyArray<string>,
  pubhashtxhwm: DEFAULT_HIGH_WATER as number,
  pubrawblock: [] as ReadonlyArray<string>,
  pubrawblockhwm: DEFAULT_HIGH_WATER as number,
  pubrawtx: [] as ReadonlyArray<string>,
  pubrawtxhwm: DEFAULT_HIGH_WATER as number,
  pubsequence: [] as ReadonlyArray<string>,
  pubsequencehwm: DEFAULT_HIGH_WATER as number
}

const ADDRESS = /^tcp:\/\/(.+:\d{1,5})$/

/** Converts an address to an endpoint as the node writes it. `*` means every address of this machine. */
export const placeOf = (address: string): string | undefined => ADDRESS.exec(address)?.[1]?.replace(/^\*:/, "0.0.0.0:")

/** Returns the notifiers in the settings. Throws if a setting is invalid. */
export const notifiersOf = (settings: Settings<typeof SETTINGS>): ReadonlyArray<Notifier> => {
  const notifiers = TOPICS.flatMap((topic) => {
    const highWater = settings[`pub${topic}hwm`]
    if (!Number.isSafeInteger(highWater) || highWater < 0) {
      throw new Error(`the setting pub${topic}hwm must be a whole number from 0 on, and is ${highWater}`)
    }
    return settings[`pub${topic}`].map((address): Notifier => {
      if (placeOf(address) === undefined) {
        throw new Error(`the setting pub${topic} must be tcp://host:port, and is ${address}`)
      }
      return { topic, address, highWater }
    })
  })
  if (notifiers.length > 0) return notifiers
  throw new Error("nothing is to be published: set pubhashblock = \"tcp://127.0.0.1:28332\" or another topic")
}
