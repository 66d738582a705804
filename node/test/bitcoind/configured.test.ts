import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { join } from "node:path"
import { configured } from "../../src/bitcoind/run/configured.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeAll(() => void (home = makeHome()))
afterAll(() => home.remove())

const made = (...words: ReadonlyArray<string>) => {
  const given = Result.getOrThrow(home.read("-regtest", ...words))
  const plan = Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))
  return { config: configured(plan, given), given, plan }
}

describe("the configuration of the node of bitcoind", () => {
  it("has all that the plan says of a node that stands in for Bitcoin Core's", () => {
    const { config, given: { directory }, plan } = made(
      "-rest",
      "-rpcdoccheck",
      "-rpcthreads=3",
      "-rpcallowip=127.0.0.1",
      "-rpcbind=127.0.0.1:1",
      "-rpcbind=127.0.0.1:2",
      "-whitelist=noban@10.0.0.0/8",
      "-peertimeout=7",
      "-maxtipage=8",
      "-bantime=9",
      "-networkactive=0",
      "-externalip=8.8.8.8",
      "-zmqpubrawtx=tcp://127.0.0.1:5",
      "-printpriority",
      "-maxsigcachesize=4",
      "-fastprune",
      "-blocksxor=0",
      "-reindex"
    )
    const { standIn, ...rest } = config
    assert.deepStrictEqual(rest as unknown, plan.config)
    assert.deepStrictEqual(standIn as unknown, {
      blocksDirectory: join(directory, "blocks"),
      storeDirectory: join(directory, "chainstate"),
      cookie: { file: join(directory, ".cookie"), mode: 0o600 },
      isServing: true,
      hasCoreRest: true,
      checksAnswers: true,
      rpcThreads: 3,
      moreRpcBinds: [{ host: "127.0.0.1", port: 2 }],
      userAgent: plan.userAgent,
      grants: plan.grants,
      peerTimeoutSeconds: 7,
      changes: plan.changes,
      maxTipAge: 8,
      banSeconds: 9,
      isNetworkActive: false,
      externalAddresses: plan.externalAddresses,
      notifiers: [{ topic: "rawtx", address: "tcp://127.0.0.1:5", highWater: 1_000 }],
      network: plan.network,
      logFile: join(directory, "debug.log"),
      captureDirectory: undefined,
      printsPriority: true,
      scriptCacheBytes: 2 * 1_048_576,
      blockFileBytes: 65_536,
      isXored: false,
      rebuild: true,
      rebuildsCoins: false
    })
    assert.lengthOf(plan.grants, 1)
    assert.lengthOf(plan.externalAddresses, 1)
  })

  it("keeps messages of peers below the directory of the chain, where these are kept at all", () => {
    const { config, given: { directory } } = made("-capturemessages", "-reindex-chainstate", "-nodebuglogfile")
    assert.strictEqual(config.standIn?.captureDirectory, join(directory, "message_capture"))
    assert.deepStrictEqual([config.standIn?.rebuild, config.standIn?.rebuildsCoins], [false, true])
    assert.isUndefined(config.standIn?.logFile)
  })
})
