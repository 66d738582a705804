/**
 * Which package may import which others, tests included. Packages that are not named (bench, scripts) may import every
 * one of them.
 */
export const PACKAGES = {
  shared: [],
  folders: {
    kernel: [],
    crypto: ["kernel"],
    protocol: ["kernel"],
    // Scripts as text, descriptors, miniscript and how outputs are spent: for the node and for modules.
    descriptors: ["kernel", "protocol"],
    txgraph: [],
    conformance: ["kernel", "crypto", "protocol"],
    "property-tests": ["kernel", "crypto", "protocol", "txgraph"],
    // What the author of a module imports.
    sdk: ["protocol"],
    zmq: [],
    // Programs of their own, which a node starts.
    modules: ["kernel", "crypto", "protocol", "descriptors", "sdk", "zmq"],
    node: ["kernel", "crypto", "protocol", "descriptors", "txgraph", "zmq"]
  }
}

/**
 * Which folder of a package may import which others, types included; each list is in the order of the layers, lowest
 * first. A folder that is not named here is refused. What is `shared`, every folder may import; other files right below
 * `src` put the package together and may import every folder.
 */
export const FOLDERS = {
  "kernel/src": {
    shared: ["generated", "constants.ts", "quantities.ts", "verdict.ts"],
    folders: {
      bytes: [],
      work: [],
      crypto: ["bytes"],
      script: ["bytes"],
      model: ["bytes", "crypto"],
      parameters: ["script"],
      witness: ["bytes", "crypto", "script"],
      sighash: ["bytes", "crypto", "script", "model"],
      machine: ["bytes", "crypto", "script", "model", "sighash"],
      signature: ["crypto", "script", "sighash"],
      policy: ["script", "machine", "signature"],
      taproot: ["bytes", "crypto", "script", "sighash", "machine", "signature", "policy"],
      interpreter: ["bytes", "script", "witness", "sighash", "machine", "signature", "policy", "taproot"],
      sigops: ["script", "model", "interpreter"],
      chain: ["work", "model"],
      header: ["work", "model", "parameters", "chain"],
      deployment: ["bytes", "script", "parameters", "chain"],
      utxo: ["bytes", "script", "model"],
      "utxo-hash": ["bytes", "crypto", "model", "utxo"],
      tx: ["bytes", "model", "chain", "utxo"],
      block: [
        "bytes",
        "work",
        "crypto",
        "script",
        "model",
        "parameters",
        "sighash",
        "machine",
        "interpreter",
        "sigops",
        "chain",
        "tx"
      ],
      connect: [
        "script",
        "model",
        "parameters",
        "sighash",
        "machine",
        "interpreter",
        "sigops",
        "chain",
        "deployment",
        "utxo",
        "tx"
      ],
      // Nothing stands on these two: no block is ever judged by them.
      relay: [
        "bytes",
        "crypto",
        "script",
        "model",
        "machine",
        "taproot",
        "interpreter",
        "sigops",
        "chain",
        "utxo",
        "tx"
      ],
      spam: ["script", "model", "taproot", "interpreter", "sigops", "utxo"]
    }
  },
  "txgraph/src": {
    shared: ["contract.ts"],
    folders: {
      feerate: [],
      linearize: ["feerate"],
      store: ["linearize"],
      order: ["feerate", "linearize", "store"],
      change: ["feerate", "linearize", "store", "order"],
      staging: ["feerate", "linearize", "store", "order", "change"]
    }
  },
  "descriptors/src": {
    shared: [],
    folders: {
      "script-text": [],
      descriptor: ["script-text"],
      signing: ["descriptor"],
      psbt: ["script-text", "descriptor", "signing"],
      "raw-transaction": ["script-text", "descriptor", "signing", "psbt"]
    }
  },
  "node/src": {
    shared: [
      "bytes",
      "clock.ts",
      // The program that runs, and how it names settings.
      "front",
      "hex.ts",
      "program.ts",
      "quantities.ts",
      "units.ts",
      "standard-streams.ts",
      "typed-command.ts",
      "version.ts"
    ],
    folders: {
      finalizers: [],
      // JSON with the exact text of its numbers.
      json: [],
      storage: ["finalizers"],
      coins: ["storage"],
      events: ["finalizers"],
      figures: ["finalizers"],
      engine: ["finalizers", "storage", "coins", "events", "figures"],
      net: [],
      // What connections of nodes and of callers over QUIC share.
      quic: ["net"],
      runtime: [],
      config: ["coins", "engine", "net"],
      "engine-client": ["finalizers", "engine"],
      p2p: ["finalizers", "storage", "events", "engine", "net", "quic", "runtime", "config", "engine-client"],
      metrics: ["finalizers", "events", "figures", "engine", "config", "engine-client", "p2p"],
      health: ["events", "figures", "runtime", "config", "engine-client", "p2p", "metrics"],
      log: ["finalizers", "storage", "events", "config"],
      maintenance: ["finalizers", "storage", "coins", "engine"],
      modules: [
        "finalizers",
        "storage",
        "events",
        "engine",
        "net",
        "runtime",
        "config",
        "engine-client",
        "p2p"
      ],
      // What is published through ZeroMQ.
      zmq: ["finalizers", "storage", "engine", "engine-client"],
      // What servers of HTTP share: how they take requests, from whom and within which limits.
      http: ["finalizers", "storage", "net", "quic", "config", "metrics"],
      // Questions about the node, with typed results and tagged errors.
      queries: ["finalizers", "storage", "engine", "config", "engine-client", "p2p"],
      // Their results as the JSON that callers read.
      answers: ["json", "engine", "queries"],
      // What callers may ask of the node, whichever server they ask.
      methods: [
        "finalizers",
        "json",
        "coins",
        "figures",
        "engine",
        "net",
        "runtime",
        "p2p",
        "metrics",
        "health",
        "log",
        "maintenance",
        "modules",
        "http",
        "queries",
        "answers"
      ],
      // Servers, none of which knows another.
      rpc: [
        "finalizers",
        "json",
        "storage",
        "net",
        "quic",
        "runtime",
        "config",
        "engine-client",
        "p2p",
        "metrics",
        "health",
        "log",
        "modules",
        "zmq",
        "http",
        "queries",
        "methods"
      ],
      rest: ["finalizers", "json", "engine", "config", "http", "queries", "answers", "methods"],
      // Other paths and texts than those of `rest`, for programs that call Bitcoin Core.
      "core-rest": ["json", "engine", "http", "queries", "answers"],
      lifecycle: [
        "finalizers",
        "storage",
        "events",
        "engine",
        "runtime",
        "config",
        "engine-client",
        "p2p",
        "metrics",
        "health",
        "log",
        "maintenance",
        "modules",
        "zmq",
        "http",
        "methods",
        "rpc",
        "rest",
        "core-rest"
      ],
      cli: ["finalizers", "json", "net", "quic", "config", "http", "queries", "methods", "rpc", "lifecycle"],
      // The same node under another program's options, files and log.
      bitcoind: ["storage", "engine", "net", "runtime", "config", "engine-client", "log", "lifecycle", "cli"],
      // The client of that program.
      "bitcoin-cli": ["json", "config", "methods", "rpc", "cli", "bitcoind"],
      indexes: ["finalizers", "storage", "engine"],
      "engine-worker": ["finalizers", "storage", "events", "engine", "metrics", "maintenance", "indexes"]
    }
  },
  "node/src/engine": {
    shared: [],
    folders: {
      // What the engine is started with, and its limits.
      options: [],
      "fee-estimator": [],
      "header-index": [],
      "script-pool": [],
      // The calls that other threads make.
      api: ["options", "fee-estimator"],
      txmempool: ["options"],
      // What the engine holds, for all that change it.
      state: ["options", "header-index", "script-pool", "api"],
      "compact-blocks": ["options", "api", "txmempool", "state"],
      deployments: ["api", "state"],
      notify: ["api", "state"],
      chainstate: ["options", "header-index", "script-pool", "api", "txmempool", "state", "notify"],
      mempool: [
        "options",
        "fee-estimator",
        "header-index",
        "script-pool",
        "api",
        "txmempool",
        "state",
        "compact-blocks",
        "notify",
        "chainstate"
      ],
      validation: ["options", "header-index", "script-pool", "api", "state", "deployments", "notify", "chainstate"],
      queries: ["options", "header-index", "api", "state", "deployments", "chainstate", "validation"],
      snapshot: ["options", "header-index", "api", "txmempool", "state", "notify", "chainstate", "validation"],
      intake: ["options", "header-index", "api", "state", "notify", "chainstate", "validation", "snapshot"],
      mining: [
        "options",
        "header-index",
        "api",
        "txmempool",
        "state",
        "deployments",
        "notify",
        "chainstate",
        "validation",
        "intake"
      ],
      // Puts the engine together and answers the calls.
      host: [
        "options",
        "header-index",
        "script-pool",
        "api",
        "txmempool",
        "state",
        "compact-blocks",
        "notify",
        "chainstate",
        "validation",
        "queries",
        "snapshot",
        "intake",
        "mining"
      ]
    }
  },
  "node/src/p2p": {
    shared: [],
    folders: {
      // Clock, random numbers and what is reported.
      basics: [],
      chain: ["basics"],
      transport: ["basics"],
      // One connection and what every part may know of the others.
      peer: ["basics", "chain", "transport"],
      addresses: ["basics", "transport", "peer"],
      broadcasts: ["basics", "peer"],
      "foreign-chains": ["basics", "peer"],
      tor: ["basics", "transport"],
      sync: ["basics", "chain", "peer", "foreign-chains"],
      connections: ["basics", "transport", "peer", "addresses"],
      relay: ["basics", "chain", "peer", "sync"],
      "private-broadcast": ["basics", "chain", "transport", "peer", "addresses", "connections"],
      saved: ["basics", "addresses", "connections"],
      serving: ["basics", "chain", "peer", "sync", "relay"],
      // Puts the parts together.
      layer: [
        "basics",
        "chain",
        "transport",
        "peer",
        "addresses",
        "broadcasts",
        "foreign-chains",
        "tor",
        "sync",
        "connections",
        "relay",
        "private-broadcast",
        "saved",
        "serving"
      ]
    }
  }
}

/**
 * Relay policy and what judges blocks: a folder listed here imports none of these modules, and not a whole face that
 * holds them. In the kernel the layers above say the same of every folder.
 */
export const POLICY_APART = {
  modules: ["@lockstep/kernel/relay", "@lockstep/kernel/spam", "@lockstep/protocol/rejection/relay-"],
  wholeFaces: ["@lockstep/kernel"],
  folders: [
    "node/src/storage",
    "node/src/coins",
    "node/src/engine/chainstate",
    "node/src/engine/header-index",
    "node/src/engine/intake",
    "node/src/engine/script-pool",
    "node/src/engine/validation"
  ]
}
