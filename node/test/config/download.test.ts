import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace } from "./loading.ts"

const FILE = `transport_preference = "tcponly"
[ibd]
chunk_size = 16
max_blocks_in_transit_per_peer = 32
download_timeout_secs = 7
headers_timeout_secs = 8
headers_max_failures = 3
[protocol_limits]
max_protocol_message_length = 4000000
max_addr_to_send = 10
max_inv_sz = 20
max_headers_results = 30
`

describe("[ibd] and [protocol_limits]", () => {
  it.effect("have the contract's numbers where nothing is said", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { download, protocolLimits } = (yield* loadConfig(place.request())).config
        assert.deepStrictEqual(download, {
          blocksPerRequest: 128,
          blocksPerPeer: 128,
          timeoutSeconds: 30,
          headersTimeoutSeconds: 30,
          headersFailures: 10,
          peers: [],
          fromOnePeer: false
        })
        assert.deepStrictEqual(protocolLimits, {
          messageLength: 33_554_432,
          addresses: 1_000,
          inventory: 50_000,
          headers: 2_000
        })
      })
    ))

  it.effect("come from the file, and from NODE_IBD_*", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("work/node.toml", FILE)
        const environment = {
          NODE_IBD_PEERS: "192.0.2.1:8333,192.0.2.2:8333",
          NODE_IBD_WAN_SINGLE_PEER: "1",
          NODE_IBD_CHUNK_SIZE: "64"
        }
        const { download, protocolLimits } = (yield* loadConfig(place.request({ environment }))).config
        assert.deepStrictEqual(download, {
          blocksPerRequest: 64,
          blocksPerPeer: 32,
          timeoutSeconds: 7,
          headersTimeoutSeconds: 8,
          headersFailures: 3,
          peers: ["192.0.2.1:8333", "192.0.2.2:8333"],
          fromOnePeer: true
        })
        assert.deepStrictEqual(protocolLimits, { messageLength: 4_000_000, addresses: 10, inventory: 20, headers: 30 })
      })
    ))
})
