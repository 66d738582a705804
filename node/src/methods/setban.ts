import { isValid } from "@lockstep/protocol/wire/address/is-routable.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { secondsOf, type UnixSeconds, unixSeconds } from "../quantities.ts"
import type { Reputation } from "../p2p/connections/reputation.ts"
import { parseSubnet, type Subnet } from "../net/subnet.ts"
import { helpText } from "./help/help-text.ts"
import { type Method, method } from "./definition/method.ts"
import { boolean, longInteger, optionalWith, text } from "./definition/parameter.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const INVALID = callError("InvalidAddressOrSubnet", "Error: Invalid IP/Subnet")
const ALREADY = callError("NodeAlreadyAdded", "Error: IP/Subnet already banned")
const NOT_BANNED = callError(
  "InvalidAddressOrSubnet",
  "Error: Unban failed. Requested address/subnet was not previously manually banned."
)
const FULL = callError("Misc", "Error: The ban list is full; remove bans before adding others")
const PAST = invalidParameter("Error: Absolute timestamp is in the past")

/** Reports whether a subnet itself is banned, or an address is banned by itself or by a subnet that contains it. */
const isBanned = (subnet: Subnet, isSubnet: boolean, { bans }: Reputation, now: UnixSeconds): boolean =>
  isSubnet ? bans.has(subnet, now) : bans.isBanned(subnet.address, now)

export const setban: Method = method({
  name: "setban",
  category: "network",
  privilege: "admin",
  description: "Bans an address or a subnet, or removes its ban.",
  parameters: {
    subnet: text({ description: "The address, or the subnet with its mask or the length of it" }),
    command: text({ description: "\"add\" or \"remove\"" }),
    bantime: optionalWith(longInteger({ description: "For how many seconds, or until when; 0: a day" }), 0),
    absolute: optionalWith(boolean({ description: "Whether bantime is the time when the ban ends" }), false)
  },
  result: Schema.Null,
  examples: [{ params: ["192.0.2.1", "add", 86_400] }, { params: ["192.0.2.0/24", "add"] }],
  call: Effect.fnUntraced(function*({ absolute, bantime, command, subnet: given }, node) {
    if (command !== "add" && command !== "remove") {
      return yield* Effect.fail(callError("Misc", helpText(setban, node)))
    }
    const network = yield* runningNetwork(node)
    const { reputation, time } = network
    const subnet = parseSubnet(given)
    const isSubnet = given.includes("/")
    if (subnet === undefined || !(isSubnet || isValid(subnet.address))) return yield* Effect.fail(INVALID)
    if (command === "remove") {
      if (!reputation.unban(subnet)) return yield* Effect.fail(NOT_BANNED)
      yield* network.keepBans
      return null
    }
    const now = secondsOf(time())
    if (isBanned(subnet, isSubnet, reputation, now)) return yield* Effect.fail(ALREADY)
    if (absolute && bantime < now) return yield* Effect.fail(PAST)
    const standard = now + network.banSeconds
    const until = unixSeconds(bantime <= 0 ? standard : absolute ? bantime : now + bantime)
    if (!reputation.ban({ subnet, created: now, until })) return yield* Effect.fail(FULL)
    network.disconnectBanned(subnet)
    yield* network.keepBans
    return null
  })
})
