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
      ]
    }
  },
  "node/src": {
    shared: ["hex.ts", "program.ts", "typed-command.ts", "version.ts"],
    folders: {
      finalizers: [],
      storage: ["finalizers"],
      coins: ["storage"],
      events: ["finalizers"],
      figures: ["finalizers"],
      engine: ["finalizers", "storage", "coins", "events", "figures"],
      net: [],
      config: ["coins", "engine", "net"],
      "engine-client": ["finalizers", "engine"],
      p2p: ["finalizers", "storage", "events", "engine", "net", "config", "engine-client"],
      metrics: ["finalizers", "events", "figures", "engine", "config", "engine-client", "p2p"],
      runtime: [],
      health: ["events", "figures", "config", "engine-client", "p2p", "metrics", "runtime"],
      log: ["finalizers", "storage", "events", "config"],
      maintenance: ["finalizers", "storage", "coins", "engine"],
      "script-text": [],
      descriptors: ["script-text"],
      rpc: [
        "finalizers",
        "storage",
        "coins",
        "engine",
        "net",
        "config",
        "engine-client",
        "p2p",
        "metrics",
        "runtime",
        "health",
        "log",
        "maintenance",
        "script-text",
        "descriptors"
      ],
      rest: ["finalizers", "config", "rpc"],
      lifecycle: [
        "finalizers",
        "storage",
        "events",
        "engine",
        "config",
        "engine-client",
        "p2p",
        "metrics",
        "runtime",
        "health",
        "log",
        "maintenance",
        "rpc",
        "rest"
      ],
      cli: ["finalizers", "config", "rpc", "lifecycle"],
      indexes: ["storage", "engine"],
      "engine-worker": ["finalizers", "storage", "events", "engine", "metrics", "maintenance", "indexes"]
    }
  }
}
