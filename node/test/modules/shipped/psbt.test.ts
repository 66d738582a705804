import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { patience } from "../../process/patience.ts"
import { RpcFailure } from "../../process/rpc-client.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const BIP174: Shown = JSON.parse(
  readFileSync(new URL("../../../../protocol/test/psbt/bip174.json", import.meta.url), "utf8")
)
const VALID: ReadonlyArray<string> = BIP174.valid.map(({ psbt }: Shown) => Buffer.from(psbt, "hex").toString("base64"))
const KEYS = [
  "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
]
const MINISCRIPT = `andor(pk(${KEYS[0]}),older(5),pkh(${KEYS[1]}))`

/** What the module adds to the answer of the node. */
const ADDED = ["max_vsize", "min_feerate"]

const without = (answer: Shown, names: ReadonlyArray<string>): Shown =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)))

const withoutAdded = ({ inputs, ...rest }: Shown): Shown => ({
  ...without(rest, ADDED),
  ...inputs !== undefined && { inputs: inputs.map((input: Shown) => without(input, ["spending"])) }
})

let running: NodeWithModules
let unsigned: string
const call = (method: string, ...params: ReadonlyArray<unknown>): Promise<Shown> => running.call(method, ...params)

const failureOf = async (method: string, ...params: ReadonlyArray<unknown>): Promise<readonly [number, string]> => {
  try {
    await call(method, ...params)
  } catch (error) {
    if (error instanceof RpcFailure) return [error.code, error.message]
  }
  throw new Error(`${method} did not fail`)
}

/** Calls that fail, and one each whose answer is the node's own. */
const FAILING: ReadonlyArray<readonly [method: string, ...params: ReadonlyArray<unknown>]> = [
  ["analyzepsbt"],
  ["analyzepsbt", 1],
  ["analyzepsbt", "a", "b"],
  ["analyzepsbt", "abc"],
  ["analyzepsbt", "cHNi"],
  ["getdescriptorinfo", "wsh(pk(1))"],
  ["getdescriptorinfo", "wsh(andor(pk(a),b))"]
]

const answers = async (): Promise<Shown> => ({
  valid: await Promise.all(VALID.map((psbt) => call("analyzepsbt", psbt))),
  unsigned: await call("analyzepsbt", unsigned),
  descriptor: await call("getdescriptorinfo", `wsh(${MINISCRIPT})`),
  plain: await call("getdescriptorinfo", `pkh(${KEYS[0]})`),
  failures: await Promise.all(FAILING.map((each) => failureOf(...each)))
})

describe.runIf(process.platform === "linux")("the module psbt", () => {
  beforeAll(async () => {
    running = await nodeWithModules({ psbt: "" })
    assert.strictEqual((await running.status("psbt")).status, "loaded", running.log())
    const descriptor = `wsh(${MINISCRIPT})`
    const { checksum } = await call("getdescriptorinfo", descriptor)
    const [hash] = await call("generatetodescriptor", 1, `${descriptor}#${checksum}`)
    const { tx: [txid] } = await call("getblock", hash)
    const psbt = await call("createpsbt", [{ txid, vout: 0, sequence: 3 }], [{ data: "00" }])
    unsigned = await call("utxoupdatepsbt", psbt, [descriptor])
  }, patience(120_000))

  afterAll(() => running.stop())

  it("answers as the node does, errors included, and adds how inputs are spent", async () => {
    const ofModule = await answers()
    await call("unloadmodule", "psbt")
    const ofNode = await answers()
    await call("loadmodule", "psbt")
    assert.isUndefined(ofNode.unsigned.inputs[0].spending)
    assert.deepStrictEqual(ofModule.valid.map(withoutAdded), ofNode.valid)
    assert.deepStrictEqual(withoutAdded(ofModule.unsigned), ofNode.unsigned)
    assert.deepStrictEqual(without(ofModule.descriptor, ["miniscripts"]), ofNode.descriptor)
    assert.deepStrictEqual(ofModule.plain, ofNode.plain)
    assert.deepStrictEqual(ofModule.failures, ofNode.failures)
    assert.isAbove(ofModule.valid.filter(({ inputs }: Shown) => inputs?.[0].spending !== undefined).length, 3)
  })

  it("says which ways spend an input, what they miss, and how large the transaction may become", async () => {
    const answer = await call("analyzepsbt", unsigned)
    const [{ spending }] = answer.inputs
    assert.deepInclude(spending, { script_type: "witness_v0_scripthash", satisfiable: false, max_script_sig_size: 0 })
    assert.deepStrictEqual(spending.miniscripts, [{ miniscript: MINISCRIPT }])
    const script = 1 + 34 + 1 + 1 + 26 + 1 + 2 + 1
    assert.strictEqual(spending.paths.length, 2)
    const [first, second] = spending.paths
    assert.deepInclude(first, { older: 5, complete: false })
    assert.deepStrictEqual(first.missing, {
      signatures: [{ required: 1, keys: [{ pubkey: KEYS[0] }] }],
      sequence: 5
    })
    assert.deepStrictEqual(second.missing, { signatures: [{ required: 1, keys: [{ pubkey: KEYS[1] }] }] })
    // A count, the script with its length, and a signature; for the second way no signature of the first key, and a key.
    assert.approximately(first.max_witness_size, 1 + 1 + script + 73, 4)
    assert.strictEqual(second.max_witness_size - first.max_witness_size, 1 + 34)
    assert.strictEqual(spending.max_witness_size, second.max_witness_size)
    assert.isAtLeast(answer.max_vsize, answer.estimated_vsize)
    assert.isAtMost(answer.min_feerate, answer.estimated_feerate)
  })

  it("analyzes miniscripts, by position and by name", async () => {
    const answer = await call("analyzeminiscript", MINISCRIPT)
    assert.deepInclude(answer, { type: "B", sane: true, malleable: false, needs_signature: true, repeats_keys: false })
    assert.strictEqual(answer.script.length, answer.script_size * 2)
    assert.strictEqual(answer.max_satisfaction_size, 1 + 73 + 34)
    assert.strictEqual(answer.paths.length, 2)
    const twice = await call("analyzeminiscript", "and_v(v:pk(A),pk(A))", "tr")
    assert.deepInclude(twice, { sane: false, repeats_keys: true, context: "tr" })
    assert.include(twice.problem, "contains duplicate public keys")
    assert.isUndefined(twice.script)
    assert.deepStrictEqual(await failureOf("analyzeminiscript", "pk(A"), [-5, "this is no miniscript for wsh()"])
    assert.deepStrictEqual(await failureOf("analyzeminiscript", "pk(A)", "p2sh"), [-8, "context must be wsh or tr"])
    const { miniscripts: [described] } = await call("getdescriptorinfo", `wsh(${MINISCRIPT})`)
    assert.strictEqual(described.max_satisfaction_size, answer.max_satisfaction_size)
  })

  it("stands in help and in the OpenRPC document as long as it runs", async () => {
    assert.include(await call("help"), "analyzeminiscript")
    assert.include(await call("help", "analyzeminiscript"), "The module psbt answers it.")
    assert.include(await call("help", "analyzepsbt"), "The module psbt answers it in place of the node")
    const methods = async (): Promise<ReadonlyArray<string>> =>
      (await call("rpc.discover")).methods.map(({ name }: Shown) => name)
    assert.include(await methods(), "analyzeminiscript")
    await call("unloadmodule", "psbt")
    assert.notInclude(await call("help"), "analyzeminiscript")
    assert.notInclude(await methods(), "analyzeminiscript")
    assert.notInclude(await call("help", "analyzepsbt"), "module psbt")
    await call("loadmodule", "psbt")
  })

  it("leaves to the node what is too long for it, and goes on", async () => {
    const inputs = 170_000
    const count = Buffer.from([0xfe, ...new Uint8Array(4)])
    count.writeUInt32LE(inputs, 1)
    const input = Buffer.concat([Buffer.alloc(32, 1), Buffer.alloc(9)])
    const all = Array.from({ length: inputs }, (_, i) => {
      const each = Buffer.from(input)
      each.writeUInt32LE(i, 32)
      return each
    })
    const tx = Buffer.concat([Buffer.from("02000000", "hex"), count, ...all, Buffer.from("00".repeat(5), "hex")])
    const size = Buffer.from([0xfe, ...new Uint8Array(4)])
    size.writeUInt32LE(tx.length, 1)
    const psbt = Buffer.concat([Buffer.from("70736274ff0100", "hex"), size, tx, Buffer.alloc(1 + inputs)])
    const { pid } = await running.status("psbt")
    const answer = await call("analyzepsbt", psbt.toString("base64"))
    assert.strictEqual(answer.inputs.length, inputs)
    assert.strictEqual((await running.status("psbt")).pid, pid)
    assert.isDefined((await call("analyzepsbt", unsigned)).inputs[0].spending)
  })

  it("killed, it leaves the node to answer: no call fails", async () => {
    const { pid } = await running.status("psbt")
    assert.isDefined((await call("analyzepsbt", unsigned)).inputs[0].spending)
    process.kill(pid!, "SIGKILL")
    let [calls, last] = [0, undefined as Shown]
    await running.until(async () => {
      last = await call("analyzepsbt", unsigned)
      calls++
      return last.inputs[0].spending === undefined && (await running.status("psbt")).status === "crashed"
    })
    assert.isAbove(calls, 0)
    assert.strictEqual(last.next, "signer")
    assert.strictEqual((await failureOf("analyzeminiscript", "pk(A)"))[0], -32_601)
    await call("loadmodule", "psbt")
    assert.isDefined((await call("analyzepsbt", unsigned)).inputs[0].spending)
  })
})
