import type { Area } from "./area.ts"

const makeArea = (
  name: string,
  sources: ReadonlyArray<string>,
  tests: ReadonlyArray<string>,
  leftOut: ReadonlyArray<RegExp> = []
): Area => ({ name, sources, leftOut, tests })

/** What of the engine is about transactions that no block has yet, and the rest of it. */
const POOL = /\/engine\/(?:txmempool|mempool|fee-estimator|mining)\//
const NOT_POOL = /\/engine\/(?!(?:txmempool|mempool|fee-estimator|mining)\/)/
/** Programs that write pages of `docs`. */
const DOCS = /\/docs\//

const inNode = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.map((name) => `node/src/${name}`)
const tested = (...names: ReadonlyArray<string>): ReadonlyArray<string> => names.map((name) => `node/test/${name}`)

/** Every area `--area` may name. Each source file outside the kernel is in one of them, or left out. */
export const AREAS: ReadonlyArray<Area> = [
  makeArea("p2p", inNode("p2p"), tested("p2p"), [/\/fixed-seeds\.ts$/, /\/transport\/virtual\//, /\/p2p\/relay\//]),
  makeArea("relay", inNode("p2p/relay"), tested("p2p")),
  makeArea("engine", inNode("engine"), tested("engine", "p2p/chain", "p2p/sync"), [POOL]),
  makeArea("mempool", inNode("engine"), tested("engine"), [NOT_POOL]),
  makeArea("storage", inNode("storage"), tested("storage", "lifecycle")),
  makeArea("coins", inNode("coins"), tested("coins", "engine")),
  makeArea("indexes", inNode("indexes"), tested("indexes")),
  makeArea("protocol", ["protocol/src"], ["protocol/test", ...tested("p2p")], [/^protocol\/src\/index\.ts$/]),
  makeArea("descriptors", ["descriptors/src"], ["descriptors/test", ...tested("rpc/psbt"), "modules/test"]),
  makeArea("txgraph", ["txgraph/src"], ["txgraph/test", "property-tests/src/graph"], [/^txgraph\/src\/index\.ts$/]),
  makeArea("crypto", ["crypto/src"], ["crypto/test", ...tested("p2p/v2-transport")], [/^crypto\/src\/index\.ts$/]),
  makeArea("module-host", inNode("modules"), [...tested("modules"), "modules/test"]),
  makeArea("modules", ["modules"], ["modules/test", ...tested("modules/shipped", "modules")], [/^modules\/test\//]),
  makeArea("sdk", ["sdk/src"], ["sdk/test", ...tested("modules"), "modules/test"], [/^sdk\/src\/index\.ts$/]),
  makeArea("zmq", ["zmq/src", ...inNode("zmq")], ["zmq/test", ...tested("zmq"), "modules/test"], [
    /^zmq\/src\/index\.ts$/
  ]),
  makeArea("bitcoind", inNode("bitcoind"), tested("bitcoind", "advice"), [DOCS]),
  makeArea("config", inNode("config"), tested("config", "bitcoind", "process")),
  makeArea("rpc", inNode("json", "http", "queries", "answers", "methods", "rpc"), tested("rpc", "recordings"), [DOCS]),
  makeArea("rest", inNode("rest", "core-rest"), tested("rest", "bitcoind"), [DOCS]),
  makeArea("quic", inNode("quic"), tested("p2p", "rpc")),
  makeArea("cli", inNode("cli", "bitcoin-cli", "front", "main.ts", "typed-command.ts", "program.ts", "version.ts"), [
    ...tested("cli", "bitcoin-cli", "front", "launcher", "process")
  ]),
  makeArea(
    "lifecycle",
    inNode("lifecycle", "engine-client", "engine-worker", "finalizers", "runtime", "maintenance", "clock.ts"),
    tested("lifecycle", "engine-client", "finalizers", "maintenance", "bitcoind", "faults")
  ),
  makeArea(
    "observation",
    inNode(
      "bytes",
      "events",
      "figures",
      "health",
      "log",
      "metrics",
      "quantities.ts",
      "units.ts",
      "hex.ts",
      "standard-streams.ts"
    ),
    tested("events", "health", "log", "metrics", "quantities", "rpc")
  ),
  makeArea("net", inNode("net"), tested("p2p", "config", "bitcoind"))
]

export const areaCalled = (name: string): Area | undefined => AREAS.find((each) => each.name === name)
