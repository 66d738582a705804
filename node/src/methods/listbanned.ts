import * as Schema from "effect/Schema"
import { secondsOf } from "../quantities.ts"
import { subnetText } from "../net/subnet.ts"
import { method } from "./definition/method.ts"
import { Time, described } from "../answers/result-schema.ts"
import { fromNetwork } from "./network/running-network.ts"

const Banned = Schema.Struct({
  address: described(Schema.String, "The address or subnet"),
  ban_created: described(Time, "When it was banned"),
  banned_until: described(Time, "When the ban ends"),
  ban_duration: described(Schema.Number, "The seconds between these"),
  time_remaining: described(Schema.Number, "The seconds until the ban ends")
})

export const listbanned = method({
  name: "listbanned",
  category: "network",
  privilege: "anyone",
  description: "Answers which addresses and subnets are banned.",
  parameters: {},
  result: Schema.Array(Banned),
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, ({ reputation: { bans }, time }) => {
      const now = secondsOf(time())
      return bans.list(now).map(({ created, subnet, until }) => ({
        address: subnetText(subnet),
        ban_created: created,
        banned_until: until,
        ban_duration: until - created,
        time_remaining: until - now
      }))
    })
})
