import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { integer, longInteger, optionalWith, text } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"

/** Number of header hashes to try by default. */
const DEFAULT_TRIES = 1_000_000

export const generatetoaddress = method({
  name: "generatetoaddress",
  category: "generating",
  isHidden: true,
  privilege: "admin",
  description:
    "Mines blocks at once, their rewards to an address. They hold what a template would. On regtest, and on a signet of one's own.",
  parameters: {
    nblocks: integer({ description: "How many blocks" }),
    address: text({ description: "The address that gets the new coins" }),
    maxtries: optionalWith(longInteger({ description: "Hashes to try at most, over all blocks" }), DEFAULT_TRIES)
  },
  result: Schema.Array(Hex.annotate({ description: "The hash of a block" })),
  examples: [{ shows: "Mine 11 blocks", params: [11, "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"] }],
  call: Effect.fnUntraced(function*({ address, maxtries, nblocks }, { chain, network }) {
    const script = scriptOfAddress(address, network.addresses)
    if (script === undefined) {
      return yield* Effect.fail(callError("InvalidAddressOrKey", "Error: Invalid address"))
    }
    if (nblocks <= 0 || maxtries <= 0) return []
    const request = { script, blocks: nblocks, maxTries: maxtries, transactions: undefined, submit: true }
    const { hashes } = yield* chain.call("generate", request)
    return hashes.map(displayHash)
  })
})
