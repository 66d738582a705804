import { afterAll, assert, describe, it } from "@effect/vitest"
import { place, type PlacedNode, until } from "../process/place.ts"

const { clear, start, stop } = place("packages")
afterAll(clear)

/** Of the key 1. */
const KEY = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
const ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
const FEE = 0.0002

interface Output {
  readonly txid: string
  readonly vout: number
  readonly scriptPubKey: string
  readonly amount: number
}

interface Decoded {
  readonly txid: string
  readonly vout: ReadonlyArray<{ readonly value: number; readonly scriptPubKey: { readonly hex: string } }>
}

/** Spends an output into one of the same script. */
const spend = async ({ call }: PlacedNode, from: Output, fee: number) => {
  const amount = (from.amount - fee).toFixed(8)
  const raw = await call<string>("createrawtransaction", [{ txid: from.txid, vout: from.vout }], [{
    [ADDRESS]: amount
  }])
  const { hex } = await call<{ readonly hex: string }>("signrawtransactionwithkey", raw, [KEY], [from])
  const { txid, vout: [output] } = await call<Decoded>("decoderawtransaction", hex)
  return { hex, txid, vout: 0, amount: output!.value, scriptPubKey: output!.scriptPubKey.hex }
}

describe("two nodes that relay packages", () => {
  it("bring a chain of ancestors below the fee filter to each other by a child that pays for all", async () => {
    const on = ["--set", "relay.enable_package_relay=true"]
    const [low, usual] = await Promise.all([
      start("low", [...on, "--set", "mempool.min_relay_fee_rate=0"]),
      start("usual", on)
    ])
    const { call } = low
    await call("generatetoaddress", 101, ADDRESS)
    const block = await call<{ readonly tx: ReadonlyArray<Decoded> }>("getblock", await call("getblockhash", 1), 2)
    const [coinbase] = block.tx
    const [paid] = coinbase!.vout
    await usual.call("addnode", `127.0.0.1:${low.p2pPort}`, "add")
    await until(
      "both have the same tip",
      async () => await usual.call("getbestblockhash") === await call("getbestblockhash")
    )
    const coin = { txid: coinbase!.txid, vout: 0, amount: paid!.value, scriptPubKey: paid!.scriptPubKey.hex }
    const first = await spend(low, coin, 0)
    const second = await spend(low, first, 0)
    const third = await spend(low, second, 0)
    const last = await spend(low, third, FEE)
    const all = [first, second, third, last]
    for (const { hex } of all) await call("sendrawtransaction", hex)
    const pool = async (): Promise<ReadonlyArray<string>> => await usual.call("getrawmempool")
    await until("the package is there", async () => (await pool()).length === all.length)
    assert.sameMembers([...await pool()], all.map(({ txid }) => txid))
    const [peer] = await usual.call<ReadonlyArray<{ readonly bytesrecv_per_msg: Record<string, number> }>>(
      "getpeerinfo"
    )
    assert.containsAllKeys(peer!.bytesrecv_per_msg, ["sendpackages", "ancpkginfo", "pkgtxns"])
    const { localservicesnames } = await call<{ readonly localservicesnames: ReadonlyArray<string> }>("getnetworkinfo")
    assert.include(localservicesnames, "PACKAGE_RELAY")
    await Promise.all([stop(low), stop(usual)])
  })
})
