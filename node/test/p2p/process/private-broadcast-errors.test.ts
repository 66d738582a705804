import { afterAll, assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { makePlace, runBitcoind } from "../../bitcoind/bitcoind-process.ts"
import { freePort, spawnNode } from "../../process/node-process.ts"
import { RpcFailure } from "../../process/rpc-client.ts"
import { place, type PlacedNode } from "./place.ts"
import { ADDRESS, minedCoins, spend } from "./spent-coins.ts"

const nodes = place("private-errors")

afterAll(nodes.clear)

const UNREACHABLE =
  "-privatebroadcast is enabled, but none of the Tor or I2P networks is reachable. Maybe the location of the Tor proxy " +
  "couldn't be retrieved from the Tor daemon at startup. Check whether the Tor daemon is running and that -torcontrol, " +
  "-torpassword and -i2psam are configured properly."

const settings = (values: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([key, value]) => ["--set", `${key}=${value}`])

/** Code and text of the error that a call ends with. */
const errorOf = (attempt: Promise<unknown>): Promise<readonly [code: number, message: string] | "no error"> =>
  attempt.then(() => "no error" as const, (error: unknown) => {
    if (error instanceof RpcFailure) return [error.code, error.message] as const
    throw error
  })

const poolOf = ({ call }: PlacedNode): Promise<ReadonlyArray<string>> => call("getrawmempool")

describe("private broadcast that cannot be had", () => {
  it("fails for each transaction while Tor does not say where its proxy is; none enters the mempool", async () => {
    // Nothing listens there.
    const control = `127.0.0.1:${await freePort()}`
    const node = await nodes.start("unreachable", [
      ...settings({ "connections.tor_control": control, "relay.private_broadcast": "true" }),
      "--target-peer-count",
      "0"
    ])
    const [coin] = await minedCoins(node, 1)
    const signed = await spend(node, coin!)
    assert.deepStrictEqual(await errorOf(node.call("sendrawtransaction", signed.hex)), [-1, UNREACHABLE])
    assert.deepStrictEqual(await node.call("getprivatebroadcastinfo"), { transactions: [] })
    assert.deepStrictEqual(await poolOf(node), [])
    await nodes.stop(node)
  })

  it("is refused for transactions that no node would take, in Bitcoin Core's words", async () => {
    // A proxy that is never asked for anything but connections that fail.
    const proxy = `127.0.0.1:${await freePort()}`
    const node = await nodes.start("refusing", [
      ...settings({ "connections.onion_proxy": proxy, "relay.private_broadcast": "true" }),
      "--target-peer-count",
      "0"
    ])
    const [coin] = await minedCoins(node, 1)
    const signed = await spend(node, coin!)
    // So far nothing spends the coin: at a limit of nothing for the fee it pays too much.
    const tooMuch = await errorOf(node.call("sendrawtransaction", signed.hex, "0.00000001"))
    assert.deepStrictEqual(tooMuch, [-25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"])
    await node.call("generateblock", ADDRESS, [signed.hex])
    const confirmed = await errorOf(node.call("sendrawtransaction", signed.hex))
    assert.deepStrictEqual(confirmed, [-27, "Transaction outputs already in utxo set"])
    const parent = await node.call<string>("createrawtransaction", [{ txid: "11".repeat(32), vout: 0 }], [{
      [ADDRESS]: 1
    }])
    assert.deepStrictEqual(await errorOf(node.call("sendrawtransaction", parent)), [
      -25,
      "bad-txns-inputs-missingorspent"
    ])
    assert.deepStrictEqual(await node.call("getprivatebroadcastinfo"), { transactions: [] })
    await nodes.stop(node)
  })

  it("keeps a node from starting where neither Tor nor I2P is configured", async () => {
    const own = spawnNode([
      "start",
      "--network",
      "regtest",
      "--data-dir",
      join(nodes.root, "never"),
      ...settings({ "relay.private_broadcast": "true" })
    ])
    const { exitCode, stderr } = await own.ended
    assert.notStrictEqual(exitCode, 0)
    assert.include(stderr, "[relay].private_broadcast needs Tor or I2P, and neither is reachable")

    const { base, remove } = await makePlace()
    const requested = "Error: Private broadcast of own transactions requested (-privatebroadcast), but"
    const refused = async (...words: ReadonlyArray<string>): Promise<string> => {
      const ending = await runBitcoind([`-datadir=${base}`, "-regtest", "-listen=0", "-privatebroadcast", ...words])
        .ended
      assert.strictEqual(ending.exitCode, 1)
      return ending.stderr
    }
    assert.include(await refused(), `${requested} none of Tor or I2P networks is reachable`)
    assert.include(await refused("-proxy=127.0.0.1:1", "-connect=0"), `${requested} -connect is also configured.`)
    remove()
  })
})
