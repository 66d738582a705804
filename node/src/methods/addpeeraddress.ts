import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { secondsOf } from "../quantities.ts"
import { knownAt } from "../p2p/addresses/table/address-table.ts"
import { parseAddress } from "../net/endpoint-text.ts"
import { method } from "./definition/method.ts"
import { boolean, integer, optionalWith, text } from "./definition/parameter.ts"
import { optionalDescribed, described } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const Added = Schema.Struct({
  success: described(Schema.Boolean, "Whether it is known now"),
  error: optionalDescribed(Schema.String, "Why not: failed-adding-to-new or failed-adding-to-tried")
})

const INVALID = callError("InvalidAddressOrSubnet", "Invalid IP address")
const OUT_OF_RANGE = callError("Misc", "JSON integer out of range")

export const addpeeraddress = method({
  name: "addpeeraddress",
  category: "network",
  isHidden: true,
  privilege: "admin",
  description: "Adds an address to the addrman, as if the node there had announced it. For tests.",
  parameters: {
    address: text({ description: "Its address" }),
    port: integer({ description: "Its port" }),
    tried: optionalWith(boolean({ description: "Whether it counts as one that was connected to" }), false)
  },
  result: Added,
  examples: [{ params: ["192.0.2.1", 8_333, true] }],
  call: Effect.fnUntraced(function*({ address: given, port, tried }, node) {
    const { book, reach, time } = yield* runningNetwork(node)
    if (port < 0 || port > 65_535) return yield* Effect.fail(OUT_OF_RANGE)
    const parsed = parseAddress(given)
    if (parsed === undefined) return yield* Effect.fail(INVALID)
    const hasCjdns = reach().some(({ isReachable, name }) => name === "cjdns" && isReachable)
    const address = hasCjdns ? takenForCjdns(parsed) : parsed
    const services = ServiceFlag.NETWORK | ServiceFlag.WITNESS
    const added = book.add([{ address, port, services, time: secondsOf(time()) }], address)
    if (added === 0) return { success: false, error: "failed-adding-to-new" }
    if (!tried) return { success: true }
    book.good({ address, port })
    const isTried = knownAt(book.table, { address, port })?.isTried === true
    return isTried ? { success: true } : { success: false, error: "failed-adding-to-tried" }
  })
})
