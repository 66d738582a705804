import * as Schema from "effect/Schema"
import { machineClock } from "../p2p/basics/environment.ts"
import { method } from "./definition/method.ts"
import { described } from "../answers/result-schema.ts"
import { fromNetwork } from "./network/running-network.ts"

const UploadTarget = Schema.Struct({
  timeframe: described(Schema.Number, "The seconds that the target is for"),
  target: described(Schema.Number, "Bytes that are sent in this time at most; 0: as many as are asked for"),
  target_reached: described(Schema.Boolean, "Whether they are sent already"),
  serve_historical_blocks: described(Schema.Boolean, "Whether old blocks are still sent"),
  bytes_left_in_cycle: described(Schema.Number, "Bytes left in this time"),
  time_left_in_cycle: described(Schema.Number, "Seconds left of this time")
})

const Totals = Schema.Struct({
  totalbytesrecv: described(Schema.Number, "Bytes received since the start"),
  totalbytessent: described(Schema.Number, "Bytes sent since the start"),
  timemillis: described(Schema.Number, "The time, in milliseconds since 1970"),
  uploadtarget: described(UploadTarget, "How much is sent at most")
})

export const getnettotals = method({
  name: "getnettotals",
  category: "network",
  privilege: "anyone",
  description: "Answers how many bytes the node received from peers and sent to them, and the time.",
  parameters: {},
  result: Totals,
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(
      node,
      (
        { environment, totals, uploadTarget: { bytesLeft, reached, servesHistoricalBlocks, target, timeLeft, window } }
      ) => ({
        totalbytesrecv: totals.received,
        totalbytessent: totals.sent,
        timemillis: machineClock(environment)(),
        uploadtarget: {
          timeframe: window / 1_000,
          target,
          target_reached: reached(),
          serve_historical_blocks: servesHistoricalBlocks(),
          bytes_left_in_cycle: bytesLeft(),
          time_left_in_cycle: target === 0 ? 0 : Math.floor(timeLeft() / 1_000)
        }
      })
    )
})
