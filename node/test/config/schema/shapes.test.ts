import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { grant, hostPort, ipSubnet, nodeAddress, path, proxyPlace, subnet } from "../../../src/config/schema/shapes.ts"

const isTaken = (schema: Schema.Top, value: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(value))

describe("texts of the configuration", () => {
  it.each<readonly [what: string, shape: { readonly schema: Schema.Top }, taken: string, refused: string]>([
    [
      "grants",
      grant,
      "relay@10.0.0.1 relay,mempool@192.168.1.0/24 bloomfilter@::1 forcerelay@10.0.0.0/8",
      "relay 10.0.0.1 @10.0.0.1 noban@10.0.0.1 relay@nowhere relay@"
    ],
    ["subnets", subnet, "10.0.0.1 10.0.0.0/8 2001:db8::/32 ::1", "10.0.0 10.0.0.0/33 a.example"],
    [
      "subnets of IP",
      ipSubnet,
      "10.0.0.1 10.0.0.0/8 2001:db8::/32",
      "10.0.0 pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion"
    ],
    ["places", hostPort, "127.0.0.1:8332 [::1]:8332 a.example:1", "127.0.0.1 :1 a:65536 unix:/a"],
    ["proxies", proxyPlace, "127.0.0.1:9050 unix:/run/tor", "127.0.0.1 unix:tor unix:"],
    [
      "nodes",
      nodeAddress,
      "192.0.2.1:8333 192.0.2.1 [2001:db8::1]:1 a.example a_b.example:7",
      ":1 192.0.2.1:0 192.0.2.1:65536"
    ],
    ["paths", path, "a /a/b ~ ~/a a~b", "~other ~other/a"]
  ])("are %s or not", (_, { schema }, taken, refused) => {
    for (const text of taken.split(" ")) assert.isTrue(isTaken(schema, text), text)
    for (const text of ["", ...refused.split(" ")]) assert.isFalse(isTaken(schema, text), text)
    assert.isFalse(isTaken(schema, 1))
  })
})
