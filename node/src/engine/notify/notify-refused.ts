import type { Refused } from "../api/engine-notification.ts"
import type { ChainEngine } from "../state/chain-engine.ts"

/** Notifies of a rejected block or header at once, before its sender has an answer. */
export const notifyRefused = ({ options, notify }: ChainEngine, hash: Uint8Array, why: Refused): void => {
  if (options.notifiesTips === true) notify({ _tag: "Refused", hash: hash.slice(), why })
}
