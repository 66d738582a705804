import * as Schema from "effect/Schema"
import { getblocktemplate } from "../../methods/getblocktemplate.ts"
import { getmemoryinfo, Memory } from "../../methods/getmemoryinfo.ts"
import { getmininginfo } from "../../methods/getmininginfo.ts"
import { getnetworkhashps } from "../../methods/getnetworkhashps.ts"
import { getrpcinfo } from "../../methods/getrpcinfo.ts"
import { help } from "../../methods/help.ts"
import { logging } from "../../methods/logging.ts"
import { stop } from "../../methods/stop.ts"
import { submitblock } from "../../methods/submitblock.ts"
import { uptime } from "../../methods/uptime.ts"
import { JsonMembers, type JsonValue } from "../../json/json-value.ts"
import { described, variant } from "../../answers/result-schema.ts"
import { Template } from "../../methods/mining/block-template.ts"
import { methodRoute, named } from "../method-route.ts"
import { RestProblem } from "../rest-problem.ts"
import type { Route } from "../route.ts"

const TEMPLATE_REQUEST = new JsonMembers(["rules"], [["segwit"]])

/** Converts a result of BIP22, in which null means success. */
const submitted = (reason: JsonValue): JsonValue | RestProblem =>
  reason === null ? { accepted: true } : new RestProblem(422, `The block is not taken: ${String(reason)}`)

export const NODE_ROUTES: ReadonlyArray<Route> = [
  methodRoute({
    verb: "GET",
    path: "/node/uptime",
    summary: "How long the node has been running.",
    method: uptime,
    ...named("seconds", described(Schema.Number, "Seconds since it started"))
  }),
  methodRoute({
    verb: "GET",
    path: "/node/memory",
    summary: "How the heap of the node's main thread is used.",
    method: getmemoryinfo,
    result: variant("mode=stats", Memory).ast
  }),
  methodRoute({ verb: "GET", path: "/node/rpc-info", summary: "What the RPC server is doing.", method: getrpcinfo }),
  methodRoute({
    verb: "GET",
    path: "/node/help",
    summary: "The methods of the RPC, or what one of them does.",
    method: help,
    inputs: { command: { place: "query" } },
    ...named("text", described(Schema.String, "The text"))
  }),
  methodRoute({
    verb: "GET",
    path: "/node/logging",
    summary: "Which categories are logged in detail.",
    method: logging
  }),
  methodRoute({
    verb: "POST",
    path: "/node/logging",
    summary: "Turns categories of the log on and off until the node stops.",
    method: logging,
    inputs: { include: { place: "body" }, exclude: { place: "body" } }
  }),
  methodRoute({
    verb: "POST",
    path: "/node/stop",
    summary: "Asks the node to stop.",
    method: stop,
    ...named("message", described(Schema.String, "That the node is stopping"))
  }),
  methodRoute({
    verb: "GET",
    path: "/mining/info",
    summary: "What there is to know before mining.",
    method: getmininginfo
  }),
  methodRoute({
    verb: "GET",
    path: "/mining/hashrate",
    summary: "How many hashes a second the network makes.",
    method: getnetworkhashps,
    inputs: { nblocks: { place: "query" }, height: { place: "query" } },
    ...named("hashes_per_second", described(Schema.Number, "Hashes a second"))
  }),
  methodRoute({
    verb: "GET",
    path: "/mining/block-template",
    summary: "What is needed to work on the next block.",
    method: getblocktemplate,
    fixed: { template_request: TEMPLATE_REQUEST },
    result: variant("mode=template", Template).ast
  }),
  methodRoute({
    verb: "POST",
    path: "/mining/blocks",
    summary: "Submits a block.",
    method: submitblock,
    inputs: { hexdata: { place: "body" } },
    bytesInput: "hexdata",
    ...named("accepted", described(Schema.Boolean, "true: the block is the tip now")),
    shape: submitted
  })
]
