import type { UnixSeconds } from "@lockstep/kernel/quantities"
import { MAX_FUTURE_BLOCK_TIME } from "@lockstep/kernel/constants"
import * as Effect from "effect/Effect"
import { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { displayHash } from "../../hex.ts"
import { asTyped } from "../../typed-command.ts"

/** The message of Bitcoin Core. */
const WORDS =
  "The block database contains a block which appears to be from the future. This may be due to your computer's date and " +
  "time being set incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct"

const timeText = (time: UnixSeconds): string => new Date(time * 1_000).toISOString()

/** Fails if the tip's time is so far ahead that no such block would be accepted now. Then the clock is wrong, or was. */
export const refuseFutureTip = ({ clock, tree: { tip } }: ChainEngine): Effect.Effect<void, StorageError> => {
  const [{ time }, now] = [tip.header, clock.now()]
  if (time <= now + MAX_FUTURE_BLOCK_TIME) return Effect.void
  return Effect.fail(
    new StorageError({
      part: "key-value",
      operation: "start",
      reason: "io",
      message:
        `${WORDS}. The tip, ${displayHash(tip.hash)} at height ${tip.height}, is of ${
          timeText(time)
        }, and the clock says ` +
        `${timeText(now)}. Set the clock right and start again; if it is right, run ${
          asTyped("rebuild")
        }, which leaves such blocks out.`
    })
  )
}
