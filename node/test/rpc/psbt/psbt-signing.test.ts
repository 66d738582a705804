import { assert, describe, it } from "@effect/vitest"
import { HDKey } from "@scure/bip32"
import { createBase58check } from "@scure/base"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { startChain } from "../../../src/engine-client/start-chain.ts"
import { regtestOptions } from "../../engine/test-engine.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { ask } from "../rpc-client.ts"
import { testServer } from "../test-server.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const base58check = createBase58check((data: Uint8Array) => new Uint8Array(hash("sha256", data, "buffer")))
const BIP174: Shown = JSON.parse(
  readFileSync(new URL("../../../../protocol/test/psbt/bip174.json", import.meta.url), "utf8")
)
const VERSIONS = { private: 0x04358394, public: 0x043587cf }

const root = (byte: number): HDKey => HDKey.fromMasterSeed(new Uint8Array(32).fill(byte), VERSIONS)
const wif = (byte: number): string => base58check.encode(Uint8Array.of(0xef, ...new Uint8Array(32).fill(byte), 1))

const [A, B, C] = [root(1), root(2), root(3)].map((key) => key.privateExtendedKey)
const [K, L] = [wif(4), wif(5)]

/** Descriptors with all the private keys that it takes. */
const SPENDABLE: ReadonlyArray<string> = [
  `pk(${K})`,
  `pkh(${A}/0)`,
  `wpkh(${A}/84h/1h/0)`,
  `sh(wpkh(${B}/1))`,
  `multi(1,${K},${L})`,
  `sh(multi(2,${A}/1,${B}/1,${C}/1))`,
  `sh(sortedmulti(1,${A}/2,${B}/2))`,
  `wsh(multi(2,${A}/3,${B}/3,${C}/3))`,
  `sh(wsh(multi(2,${A}/4,${B}/4)))`,
  `wsh(pkh(${A}/5))`,
  `wsh(and_v(v:pk(${A}/6),older(1)))`,
  `wsh(andor(pk(${A}/7),older(5),pk(${B}/7)))`,
  `wsh(thresh(2,pk(${A}/8),s:pk(${B}/8),sln:older(3)))`,
  `wsh(or_i(and_v(v:pkh(${A}/9),after(60)),pk(${B}/9)))`,
  `tr(${A}/10)`,
  `rawtr(${K})`,
  `tr(${A}/11,{pk(${B}/11),multi_a(2,${B}/12,${C}/12)})`
]

/** Descriptors whose output has no private key of its own but those of leaves. */
const NOTHING_UP = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
const BY_SCRIPT: ReadonlyArray<string> = [
  `tr(${NOTHING_UP},pk(${A}/13))`,
  `tr(${NOTHING_UP},{multi_a(2,${A}/14,${B}/14,${C}/14),and_v(v:pk(${A}/15),older(3))})`,
  `tr(${NOTHING_UP},{{pk(${A}/16),pkh(${B}/16)},sortedmulti_a(1,${A}/17,${B}/17)})`
]

const callsTo = (address: Parameters<typeof ask>[0]) => (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.promise(async (): Promise<Shown> => {
    const { error, result } = await ask(address, method, params)
    return error ?? result
  })

const regtest = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const chain = yield* startChain({ ...regtestOptions(directory), transactionIndex: true })
  yield* chain.ready
  return callsTo((yield* testServer({ directory, chain })).address)
})

/** A node that knows no transactions. */
const withoutChain = Effect.gen(function*() {
  const nothing = fakeChain({
    indexes: () => Effect.succeed([]),
    mempoolTransaction: () => Effect.succeed(undefined)
  })
  return callsTo((yield* testServer({ directory: yield* temporaryDirectory, chain: nothing })).address)
})

type Call = Effect.Success<typeof regtest>

interface Coin {
  readonly txid: string
  readonly vout: number
  readonly sequence: number
}

/** A coin of each descriptor, old enough to be spent. */
const coinsOf = Effect.fnUntraced(function*(call: Call, descriptors: ReadonlyArray<string>) {
  const made: Array<Shown> = []
  for (const descriptor of descriptors) made.push(yield* call("generatetodescriptor", 1, descriptor))
  yield* call("generatetodescriptor", 100, "raw(51)")
  const coins: Array<Coin> = []
  for (const [i, each] of made.entries()) {
    assert.isArray(each, `${descriptors[i]}: ${JSON.stringify(each)}`)
    const { tx } = yield* call("getblock", each[0])
    coins.push({ txid: tx[0], vout: 0, sequence: 10 })
  }
  return coins
})

const OUTPUTS = [{ data: "00" }]
const LOCK_TIME = 60

/** Whether a block takes transactions, which do not become part of the chain. */
const areTaken = Effect.fnUntraced(function*(call: Call, transactions: ReadonlyArray<string>) {
  const block = yield* call("generateblock", "raw(51)", transactions, false)
  assert.isString(block.hex, JSON.stringify(block))
  return (yield* call("getblocktemplate", { mode: "proposal", data: block.hex })) === null
})

/** Each alone: signed, finalized, and taken by a block. */
const holdEach = Effect.fnUntraced(
  function*(call: Call, coins: ReadonlyArray<Coin>, descriptors: ReadonlyArray<string>) {
    const made: Array<string> = []
    for (const [i, coin] of coins.entries()) {
      const descriptor = descriptors[i]!
      const psbt = yield* call("createpsbt", [coin], OUTPUTS, LOCK_TIME, null, 2, i % 2 === 0 ? 0 : 2)
      const whole = yield* call("descriptorprocesspsbt", psbt, [descriptor])
      assert.strictEqual(whole.complete, true, `${descriptor}: ${JSON.stringify(whole)}`)
      const signed = yield* call("descriptorprocesspsbt", psbt, [descriptor], null, true, false)
      assert.strictEqual(signed.complete, false)
      assert.strictEqual((yield* call("analyzepsbt", signed.psbt)).next, "finalizer")
      assert.deepStrictEqual(yield* call("finalizepsbt", signed.psbt), { hex: whole.hex, complete: true })
      const { estimated_vsize: size, next } = yield* call("analyzepsbt", whole.psbt)
      assert.strictEqual(next, "extractor")
      if (size !== undefined) {
        const { vsize } = yield* call("decoderawtransaction", whole.hex)
        assert.approximately(size, vsize, 2, descriptor)
      }
      made.push(whole.hex)
    }
    assert.isTrue(yield* areTaken(call, made))
  }
)

/** All in one transaction, of which each signer knows a part. */
const holdTogether = Effect.fnUntraced(function*(
  call: Call,
  coins: ReadonlyArray<Coin>,
  descriptors: ReadonlyArray<string>
) {
  const psbt = yield* call("createpsbt", coins, OUTPUTS, LOCK_TIME)
  const updated = yield* call("utxoupdatepsbt", psbt, descriptors)
  const { inputs } = yield* call("analyzepsbt", updated)
  for (const [i, { has_utxo, next }] of inputs.entries()) {
    assert.isTrue(has_utxo)
    // Of taproot it is not known which signatures are missing.
    assert.strictEqual(next, descriptors[i]!.includes("tr(") ? "updater" : "signer", descriptors[i])
  }
  const parts: Array<string> = []
  for (const descriptor of descriptors) {
    parts.push((yield* call("descriptorprocesspsbt", updated, [descriptor], null, true, false)).psbt)
  }
  const { complete, hex } = yield* call("finalizepsbt", yield* call("combinepsbt", parts))
  assert.isTrue(complete)
  assert.isTrue(yield* areTaken(call, [hex]))
})

/** What is missing on the way from nothing to one signature of two. */
const holdMissing = Effect.fnUntraced(function*(call: Call, coins: ReadonlyArray<Coin>) {
  const psbt = yield* call("createpsbt", coins, OUTPUTS)
  assert.deepStrictEqual(yield* call("analyzepsbt", psbt), {
    inputs: coins.map(() => ({ has_utxo: false, is_final: false, next: "updater" })),
    next: "updater"
  })
  const updated = yield* call("utxoupdatepsbt", psbt)
  const known = yield* call("analyzepsbt", updated)
  assert.property(known.inputs[0].missing, "witnessscript")
  assert.lengthOf(known.inputs[1].missing.pubkeys, 1)
  assert.isAbove(known.fee, 0)
  assert.strictEqual((yield* call("decodepsbt", updated)).fee, known.fee)
  const [b, c] = [root(2).publicExtendedKey, root(3).publicExtendedKey]
  const half = yield* call("descriptorprocesspsbt", psbt, [`wsh(multi(2,${A}/3,${b}/3,${c}/3))`])
  const analysis = yield* call("analyzepsbt", half.psbt)
  assert.deepInclude(analysis.inputs[0], { next: "signer", is_final: false })
  assert.lengthOf(analysis.inputs[0].missing.signatures, 2)
  const other = [`wsh(multi(2,${A}/3,${B}/3,${c}/3))`]
  const single = yield* call("descriptorprocesspsbt", psbt, other, "NONE|ANYONECANPAY", true, false)
  assert.deepStrictEqual(yield* call("descriptorprocesspsbt", single.psbt, other, "ALL"), {
    code: -22,
    message: "Specified sighash value does not match value stored in PSBT"
  })
})

describe("partially signed transactions with descriptors", () => {
  it.live("outputs of every form are signed and finalized, so that a block takes the transaction", () =>
    Effect.gen(function*() {
      const call = yield* regtest
      const all = [...SPENDABLE, ...BY_SCRIPT]
      const coins = yield* coinsOf(call, all)
      yield* holdEach(call, coins, all)
      yield* holdTogether(call, coins.slice(0, SPENDABLE.length), SPENDABLE)
      yield* holdMissing(call, [coins[7]!, coins[2]!])
    }))

  it.live("where keys come from is reported unless it is not wanted, for outputs as well", () =>
    Effect.gen(function*() {
      const call = yield* withoutChain
      const descriptor = `tr(${A}/11,{pk(${B}/11),multi_a(2,${B}/12,${C}/12)})`
      const text = (yield* call("getdescriptorinfo", descriptor)).descriptor
      const [to] = yield* call("deriveaddresses", text)
      const psbt = yield* call("createpsbt", [], [{ [to]: 1 }])
      const { outputs: [output] } = yield* call("decodepsbt", yield* call("utxoupdatepsbt", psbt, [descriptor]))
      assert.deepStrictEqual(output.taproot_tree.map(({ depth }: Shown) => depth), [1, 1])
      assert.deepStrictEqual(
        output.taproot_bip32_derivs.map(({ path }: Shown) => path).toSorted(),
        ["m/11", "m/11", "m/12", "m/12"]
      )
      const quiet = yield* call("descriptorprocesspsbt", psbt, [descriptor], null, false)
      assert.notProperty((yield* call("decodepsbt", quiet.psbt)).outputs[0], "taproot_bip32_derivs")
    }))

  it.live("the vectors of BIP174 are finalized and extracted", () =>
    Effect.gen(function*() {
      const call = yield* withoutChain
      const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64")
      const { extracted, finalized } = BIP174
      const whole = { psbt: base64(finalized.result), complete: true }
      assert.deepStrictEqual(yield* call("finalizepsbt", base64(finalized.psbt), false), whole)
      const transaction = { hex: extracted.result, complete: true }
      assert.deepStrictEqual(yield* call("finalizepsbt", base64(extracted.psbt)), transaction)
    }))
})
