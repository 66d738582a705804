import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type ConfigRequest, loadConfig, validateFile } from "../../src/config/load-config.ts"
import { inPlace, option, type Place, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

/** Files that start refuses, with a word of the reason. */
const REFUSED: ReadonlyArray<readonly [what: string, text: string, reason: string]> = [
  ["modules", "[modules]\nzmq = \"0.1.*\"", "[modules].zmq: modules are off; say [modules].enabled = true or false"],
  ["a version of a module", "[modules]\nenabled = true\nzmq = \"1.*.x\"", "expected a version such as 0.1.*"],
  [
    "a setting of a module",
    "[modules]\nenabled = true\n[modules.zmq]\n\"a b\" = 1",
    "a setting has letters, digits, - and _"
  ],
  [
    "processes of modules",
    "[module_resource_limits]\ndefault_max_child_processes = 10",
    "a module may start no other process"
  ],
  [
    "a setting twice",
    "[modules]\nenabled = true\n[modules.zmq]\na-b = 1\na_b = 2",
    "a-b is the same variable for the module"
  ],
  ["a table of another part", "[fibre]\nenabled = true", "FIBRE is not in this build"],
  ["hops of a stem", "[dandelion]\nmax_stem_hops = 2", "how near the source is"],
  [
    "packages without transactions",
    "[connections]\nblocks_only = true\n[relay]\nenable_package_relay = true",
    "leave one out"
  ],
  ["Erlay", "[relay]\nenable_erlay = true", "Erlay, which needs a binding to minisketch"],
  ["a name to listen at", "listen_addr = \"example.org:8333\"", "listen_addr: example.org is a name"],
  [
    "a further name to listen at",
    "[connections]\nmore_listen_addrs = [\"example.org:8333\"]",
    "more_listen_addrs: example.org is a name"
  ],
  ["a proxy by its name", "[connections]\nproxy = \"tor.example:9050\"", "[connections].proxy: tor.example is a name"],
  [
    "a proxy for onion by its name",
    "[connections]\nonion_proxy = \"tor.example:9050\"",
    "[connections].onion_proxy: tor.example is a name"
  ],
  [
    "the same place twice",
    "listen_addr = \"127.0.0.1:8555\"\n[connections]\nmore_listen_addrs = [\"127.0.0.1:8555\"]",
    "127.0.0.1:8555 is given twice"
  ],
  [
    "a place within another",
    "listen_addr = \"0.0.0.0:8555\"\n[connections]\nmore_listen_addrs = [\"127.0.0.1:8555\"]",
    "is given twice"
  ],
  ["P2P on the port of RPC", "listen_addr = \"127.0.0.1:18443\"", "127.0.0.1:18443 is given twice"],
  [
    "REST on the port of RPC",
    "[rest_api]\nenabled = true\nlisten_addr = \"127.0.0.1:18443\"",
    "127.0.0.1:18443 is given twice"
  ],
  ["REST for everybody", "[rest_api]\nenabled = true\nlisten_addr = \"0.0.0.0:1\"", "open to other machines"],
  ["half a credential", "[rpc_auth]\nusername = \"u\"", "username without password"],
  ["a file of tokens that is not there", "[rpc_auth]\ntoken_file = \"~/none\"", "no such file"],
  [
    "pruning with a transaction index",
    "[storage.pruning]\nmode = \"manual\"\n[storage.indexing]\ntxindex = true",
    "txindex"
  ],
  [
    "heights outside regtest",
    "protocol_version = \"Signet\"\n[regtest.activation_heights]\nsegwit = 1",
    "[regtest.activation_heights]"
  ],
  ["a data directory of Bitcoin Core", "[storage]\ndata_dir = \"~/btc\"", "--no-auto-migrate"]
]

/** What only the disk shows, and start finds in its own way. */
const IMPOSSIBLE: ReadonlyArray<readonly [what: string, text: string, reason: string]> = [
  ["a data directory below a file", "[storage]\ndata_dir = \"~/tokens/data\"", "is not a directory"],
  ["blocks that are not there", "[storage]\ncore_blocks_dir = \"~/none\"", "is not a directory"]
]

describe("validateFile", () => {
  const MAINNET = [
    "transport_preference = \"tcponly\"",
    "protocol_version = \"BitcoinV1\"",
    "listen_addr = \"0.0.0.0:8333\"",
    "max_peers = 100",
    "[storage]",
    "data_dir = \"~/.local/share/mainnet\"",
    "database_backend = \"auto\"",
    "[storage.pruning]",
    "mode = { type = \"normal\", keep_from_height = 0, min_recent_blocks = 288 }",
    "[ibd]",
    "mode = \"parallel\"",
    "chunk_size = 128",
    "max_blocks_in_transit_per_peer = 128",
    "download_timeout_secs = 30",
    "headers_timeout_secs = 30",
    "headers_max_failures = 10",
    "eviction = \"fifo\"",
    "[protocol_limits]",
    "max_protocol_message_length = 33554432",
    "[modules]",
    "enabled = false",
    "[logging]",
    "level = \"info\""
  ].join("\n")

  it.effect("a configuration for the first synchronisation of mainnet is valid and starts", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write("work/node.toml", MAINNET)
        const remarks = yield* validateFile(file, place.request())
        assert.isTrue(remarks.every((remark) => !remark.includes("refuses")))
        const { config } = yield* loadConfig(place.request())
        assert.strictEqual(config.network, "mainnet")
        assert.strictEqual(config.storage.coinEviction, "fifo")
        assert.deepStrictEqual(config.warnings, [])
      })
    ))

  const judged = (place: Place, file: string, changes: Partial<ConfigRequest> = {}) =>
    validateFile(file, place.request(changes)).pipe(
      Effect.match({ onFailure: ({ problems }) => problems, onSuccess: () => [] })
    )

  const withCoreDirectory = (place: Place): void => {
    mkdirSync(join(place.home, "btc", "regtest", "chainstate"), { recursive: true })
    place.write("home/tokens", "abc\n")
  }

  for (const [what, text, reason] of REFUSED) {
    it.effect(`${what}: refused by start, so the file is not valid`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          withCoreDirectory(place)
          const file = place.write("work/node.toml", `${TCP}${text}\n`)
          const problems = yield* judged(place, file)
          assert.include(problems.join("\n"), reason)
          assert.deepStrictEqual(problems, yield* problemsOf(place.request()))
        })
      ))
  }

  for (const [what, text, reason] of IMPOSSIBLE) {
    it.effect(`${what}: the file is not valid`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          withCoreDirectory(place)
          const file = place.write("work/node.toml", `${TCP}${text}\n`)
          assert.include((yield* judged(place, file)).join("\n"), reason)
        })
      ))
  }

  it.effect("judges with the options and variables that start would have", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write("work/other.toml", `${TCP}[rest_api]\nenabled = true\nlisten_addr = "0.0.0.0:1"\n`)
        const options = [option("unsafe-rpc-bind", "unsafe_rpc_bind", "true")]
        assert.deepStrictEqual(yield* judged(place, file, { options }), [])
        assert.deepStrictEqual(yield* judged(place, file, { environment: { RPC_AUTH_TOKENS: "abc" } }), [])
        assert.include((yield* judged(place, file, { environment: { NODE_NETWORK: "moon" } })).join(), "NODE_NETWORK")
      })
    ))

  it.effect("ports that only look alike are no clash", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write(
          "work/node.toml",
          [
            TCP,
            "listen_addr = \"0.0.0.0:8555\"",
            "[connections]",
            "more_listen_addrs = [\"[::]:8555\", \"127.0.0.1:0\", \"127.0.0.2:0\"]",
            "[rest_api]",
            "enabled = true",
            "listen_addr = \"127.0.0.2:18443\""
          ].join("\n")
        )
        assert.deepStrictEqual(yield* judged(place, file), [])
      })
    ))
})
