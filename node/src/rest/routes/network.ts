import * as Schema from "effect/Schema"
import { described } from "../../answers/result-schema.ts"
import { addnode } from "../../methods/addnode.ts"
import { clearbanned } from "../../methods/clearbanned.ts"
import { getaddednodeinfo } from "../../methods/getaddednodeinfo.ts"
import { getconnectioncount } from "../../methods/getconnectioncount.ts"
import { getnettotals } from "../../methods/getnettotals.ts"
import { getnetworkinfo } from "../../methods/getnetworkinfo.ts"
import { getnodeaddresses } from "../../methods/getnodeaddresses.ts"
import { getpeerinfo } from "../../methods/getpeerinfo.ts"
import { listbanned } from "../../methods/listbanned.ts"
import { ping } from "../../methods/ping.ts"
import { setban } from "../../methods/setban.ts"
import { setnetworkactive } from "../../methods/setnetworkactive.ts"
import { methodRoute, named } from "../method-route.ts"
import type { Route } from "../route.ts"

/** Route parts for a method that returns nothing. */
const DONE = {
  ...named("done", described(Schema.Boolean, "true: it is done")),
  shape: () => ({ done: true })
} as const

export const NETWORK_ROUTES: ReadonlyArray<Route> = [
  methodRoute({
    verb: "GET",
    path: "/network/info",
    summary: "The state of the node's networking.",
    method: getnetworkinfo
  }),
  methodRoute({ verb: "GET", path: "/network/peers", summary: "The peers of the node.", method: getpeerinfo }),
  methodRoute({
    verb: "GET",
    path: "/network/connections/count",
    summary: "How many peers the node has.",
    method: getconnectioncount,
    ...named("count", described(Schema.Number, "Connections in both directions"))
  }),
  methodRoute({
    verb: "GET",
    path: "/network/totals",
    summary: "Bytes sent to and received from peers.",
    method: getnettotals
  }),
  methodRoute({
    verb: "GET",
    path: "/network/nodes",
    summary: "The nodes that are kept connected.",
    method: getaddednodeinfo,
    inputs: { node: { place: "query" } }
  }),
  methodRoute({
    verb: "GET",
    path: "/network/nodes/addresses",
    summary: "Random addresses of the addrman.",
    method: getnodeaddresses,
    inputs: { count: { place: "query" }, network: { place: "query" } }
  }),
  methodRoute({ verb: "GET", path: "/network/bans", summary: "The addresses that are banned.", method: listbanned }),
  methodRoute({ ...DONE, verb: "POST", path: "/network/ping", summary: "Sends a ping to every peer.", method: ping }),
  methodRoute({
    ...DONE,
    verb: "POST",
    path: "/network/nodes",
    summary: "Keeps a node connected, or tries to connect to it once.",
    method: addnode,
    inputs: { address: { place: "body", parameter: "node" }, command: { place: "body" } }
  }),
  methodRoute({
    ...DONE,
    verb: "DELETE",
    path: "/network/nodes/{address}",
    summary: "Removes a node from those that are kept connected.",
    method: addnode,
    inputs: { address: { place: "path", parameter: "node" } },
    fixed: { command: "remove" }
  }),
  methodRoute({
    verb: "POST",
    path: "/network/active",
    summary: "Switches all connections off, or on again.",
    method: setnetworkactive,
    inputs: { state: { place: "body" } },
    ...named("active", described(Schema.Boolean, "Whether networking is switched on"))
  }),
  methodRoute({
    ...DONE,
    verb: "POST",
    path: "/network/bans",
    summary: "Bans an address or a subnet.",
    method: setban,
    inputs: { subnet: { place: "body" }, bantime: { place: "body" }, absolute: { place: "body" } },
    fixed: { command: "add" }
  }),
  methodRoute({
    ...DONE,
    verb: "DELETE",
    path: "/network/bans/{subnet}",
    summary: "Removes a ban. The slash of a subnet is written as %2F.",
    method: setban,
    inputs: { subnet: { place: "path" } },
    fixed: { command: "remove" },
    // The address is not banned.
    statuses: { InvalidAddressOrSubnet: 404 }
  }),
  methodRoute({ ...DONE, verb: "DELETE", path: "/network/bans", summary: "Removes all bans.", method: clearbanned })
]
