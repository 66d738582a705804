import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { paramsOf } from "../../src/cli/quick/typed-params.ts"
import { unknownParameter } from "../../src/cli/commands/parameter-faults.ts"
import { prettyJson } from "../../src/cli/pretty-json.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { METHODS } from "../../src/methods/table.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { freePort, type NodeProcess, spawnNode, untilReady } from "../process/node-process.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { type Outcome, runNodeIn } from "./command-line.ts"
import { setTimeout as pause } from "node:timers/promises"
import { patience } from "../process/patience.ts"

describe("rpc reads its parameters", () => {
  const DIGITS = "1".repeat(64)
  const cases: ReadonlyArray<readonly [method: string, given: ReadonlyArray<string>, params: string]> = [
    ["getblock", [DIGITS, "2"], `["${DIGITS}",2]`],
    ["getblock", ["ab", "verbosity=0"], "{\"args\":[\"ab\"],\"verbosity\":0}"],
    ["getblock", ["blockhash=12", "verbosity=0"], "{\"blockhash\":\"12\",\"verbosity\":0}"],
    ["getblockhash", ["1.50"], "[1.50]"],
    ["getblockhash", ["text"], "[\"text\"]"],
    ["signmessagewithprivkey", ["key", "a=1"], "[\"key\",\"a=1\"]"],
    ["unheard", ["[1,{\"a\":null}]", "true", "null"], "[[1,{\"a\":null}],true,null]"]
  ]
  for (const [method, given, params] of cases) {
    it(`${method} ${given.join(" ")}`, () =>
      assert.strictEqual(writeJson(paramsOf(given, METHODS.get(method)?.parameters)), params))
  }

  it("prints what it is answered with for people, and every digit of it", () => {
    const text = "{\"a\":1.00000000,\"b\":[],\"c\":[{\"d\":null}],\"e\":{}}"
    const printed = prettyJson(readJson(text)!)
    assert.strictEqual(
      printed,
      "{\n  \"a\": 1.00000000,\n  \"b\": [],\n  \"c\": [\n    {\n      \"d\": null\n    }\n  ],\n  \"e\": {}\n}"
    )
    assert.deepStrictEqual(readJson(printed), readJson(text))
  })
})

describe("node rpc names a parameter that a method does not have", () => {
  const SIGNATURE = `${"A".repeat(86)}==`
  const cases: ReadonlyArray<readonly [method: string, given: ReadonlyArray<string>, fault: string | undefined]> = [
    ["getblockhash", ["heigth=3"], "getblockhash has no parameter heigth: did you mean height?"],
    ["getblockhash", ["other=1"], "getblockhash has no parameter other: it has height"],
    ["getblock", ["ab", "verbos=0"], "getblock has no parameter verbos: did you mean verbose?"],
    ["getblock", ["hash=ab"], "getblock has no parameter hash: it has blockhash, verbosity, verbose"],
    [
      "sendrawtransaction",
      ["00", "maxfee=0.1"],
      "sendrawtransaction has no parameter maxfee: did you mean maxfeerate?"
    ],
    ["getblockcount", ["x=1"], "getblockcount has no parameter x: it has none"],
    ["stop", ["weight=1"], "stop has no parameter weight: it has none"],
    ["stop", ["wait=1"], undefined],
    ["getblock", ["blockhash=ab", "verbose=1"], undefined],
    ["signmessagewithprivkey", ["key", "a=1"], undefined],
    ["signmessagewithprivkey", ["key", "message=mesage=1"], undefined],
    [
      "signmessagewithprivkey",
      ["key", "mesage=1"],
      "signmessagewithprivkey has no parameter mesage: did you mean message?"
    ],
    ["verifymessage", ["address", SIGNATURE, "b=2"], undefined],
    ["getdescriptorinfo", ["pk(02)"], undefined]
  ]
  for (const [method, given, fault] of cases) {
    it(`${method} ${given.join(" ")}`, () => assert.strictEqual(unknownParameter(given, METHODS.get(method)!), fault))
  }
})

describe("commands that ask a running node", () => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-client-"))
  const data = join(directory, "data")
  let node: NodeProcess
  let where: ReadonlyArray<string> = []

  beforeAll(async () => {
    const port = await freePort()
    where = ["--data-dir", data, "--rpc-addr", `127.0.0.1:${port}`]
    node = spawnNode(["start", ...where])
    const client = rpcClient(port)
    await untilReady(node, client)
    client.close()
  }, patience(30_000))

  afterAll(async () => {
    node.signal("SIGTERM")
    await node.ended
    rmSync(directory, { recursive: true, force: true })
  })

  const run = (...args: ReadonlyArray<string>): Promise<Outcome> => runNodeIn(directory, [...args, ...where])

  it("rpc is an administrator by the cookie, prints texts bare and the rest indented", async () => {
    const mined = await run("rpc", "generatetoaddress", "2", OPEN_ADDRESS)
    assert.deepStrictEqual([mined.code, mined.stderr], [0, ""])
    const hashes = JSON.parse(mined.stdout) as ReadonlyArray<string>
    assert.lengthOf(hashes, 2)
    const best = await run("rpc", "getbestblockhash")
    assert.strictEqual(best.stdout, `${hashes[1]}\n`)
    const block = await run("rpc", "getblock", hashes[0]!, "verbosity=1")
    assert.include(block.stdout, "\n  \"height\": 1,\n")
  })

  it("rpc says what the node does not like, and which method may be meant", async () => {
    const far = await run("rpc", "getblockhash", "99")
    assert.deepStrictEqual([far.code, far.stdout, far.stderr], [1, "", "node: error -8: Block height out of range\n"])
    const unknown = await run("rpc", "getblockcont")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "error -32601: Method not found")
    assert.include(unknown.stderr, "did you mean getblockcount?")
    const wallet = await run("rpc", "createwallet", "w")
    assert.strictEqual(wallet.code, 1)
    assert.include(wallet.stderr, "error -32601: Method not found")
    assert.include(wallet.stderr, "this node has no wallet")
    assert.notInclude(wallet.stderr, "did you mean")
  })

  it("rpc takes negative numbers behind --", async () => {
    const outcome = await runNodeIn(directory, ["rpc", ...where, "getblockhash", "--", "-1"])
    assert.include(outcome.stderr, "Block height out of range")
  })

  it("status, health and sync say how it is", async () => {
    // A busy machine makes the event loop late, which health shows for a while.
    const onceHealthy = async (sign: string, ...args: ReadonlyArray<string>) => {
      for (const end = Date.now() + patience(10_000);;) {
        const outcome = await run(...args)
        if (outcome.stdout.includes(sign) || Date.now() > end) return outcome
        await pause(500)
      }
    }
    const status = await onceHealthy("health   healthy", "status")
    const detailed = await onceHealthy(`"overall_status": "Healthy"`, "health", "--detailed")
    const once = await run("sync", "--once")
    assert.deepStrictEqual([status.code, status.stderr], [0, ""])
    for (
      const part of [
        /^network {2}regtest, RPC on 127\.0\.0\.1:\d+$/m,
        /^health {3}healthy$/m,
        /^ {9}chain: healthy$/m,
        /^blocks {3}\d+ of \d+/m
      ]
    ) {
      assert.match(status.stdout, part)
    }
    assert.strictEqual(detailed.code, 0)
    assert.strictEqual((JSON.parse(detailed.stdout) as { overall_status: string }).overall_status, "Healthy")
    assert.match(once.stdout, /^Initial \(0 %\): height \d+, waiting for a peer to connect\n$/)
  })

  it("each says what to do when no node is there", async () => {
    for (const args of [["status"], ["sync"], ["rpc", "uptime"], ["health", "--detailed"]]) {
      const outcome = await runNodeIn(directory, [...args, "--rpc-addr", "127.0.0.1:1"])
      assert.strictEqual(outcome.code, 1)
      assert.include(outcome.stderr, "nothing listens there\nnode: is it running")
    }
  })
})
