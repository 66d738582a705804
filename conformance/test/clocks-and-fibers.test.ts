import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const SOURCES = join(import.meta.dirname, "../../node/src")

/** Places that read the machine's clock or set its timers, which no test can move (decision 0024). */
const MACHINE_TIME: Readonly<Record<string, string>> = {
  "bitcoin-cli/call-node.ts": "a program that runs no node",
  "bitcoin-cli/main.ts": "a program that runs no node",
  "engine/script-pool/workers.ts": "patience with threads at a stop",
  "engine/options/yield-to-event-loop.ts": "how long the thread is held",
  "quic/quic-socket.ts": "how long a client may be idle",
  "http/http-server.ts": "patience with clients at a stop",
  "http/resumed-connection.ts": "passes on how long a client's socket may be idle",
  "http/take-request.ts": "patience with a client",
  "rpc/quic/quic-connections.ts": "patience with a client",
  "storage/key-value/opening/level-table-fault.ts": "bounds a probe, in a process that runs no node",
  "storage/key-value/opening/lmdb-file-fault.ts": "bounds a probe, in a process that runs no node",
  "storage/key-value/opening/walk-store.ts": "bounds a probe, in a process that runs no node"
}

/** Places that start a fiber outside of every scope (decision 0024). */
const OWN_FIBERS: Readonly<Record<string, string>> = {
  "bitcoind/process/end-process.ts": "the end of a program, when its node has stopped",
  "bitcoind/refused-start.ts": "the root of a program that runs no node",
  "bitcoind/run/bitcoind-hooks.ts": "commands of the operator run to their end, as in Bitcoin Core",
  "bitcoind/run/run-bitcoind.ts": "the root of a program",
  "cli/run-cli.ts": "the root of a program",
  "engine-client/start-chain.ts": "publishes within the message of the engine",
  "engine-worker/worker.ts": "the root of a thread",
  "engine/chainstate/background.ts": "forks into the engine's scope",
  "lifecycle/run-maintenance.ts": "relays within the message of the engine",
  "lifecycle/signals.ts": "asks to stop within the signal",
  "lifecycle/start-components.ts": "relays within the message of the engine",
  "modules/lifecycle/spawn.ts": "logs a line within the callback that brings it",
  "p2p/layer/p2p-layer.ts": "logs and publishes within the call"
}

const CODE = globSync("**/*.ts", { cwd: SOURCES }).toSorted().map((file) =>
  [file, readFileSync(join(SOURCES, file), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")] as const
)

const filesWith = (pattern: RegExp): ReadonlyArray<string> =>
  CODE.filter(([, code]) => pattern.test(code)).map(([file]) => file)

describe("sources of the node", () => {
  it("read time through the fiber's clock, but for places with a reason", () => {
    const found = filesWith(/\b(?:Date\.now|new Date\(\)|performance\.now|hrtime|setTimeout|setInterval)\b/)
    assert.deepStrictEqual(found, Object.keys(MACHINE_TIME).toSorted())
  })

  it("start fibers in a scope, but for places with a reason", () => {
    const found = filesWith(/\bEffect\.(?:run(?:Fork|Promise|Sync|Callback)\w*|forkDetach)\b/)
    assert.deepStrictEqual(found, Object.keys(OWN_FIBERS).toSorted())
  })
})
