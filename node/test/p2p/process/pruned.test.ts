import { afterAll, assert, describe, it } from "@effect/vitest"
import { patience } from "../../process/patience.ts"
import { ADDRESS, coinsOf, pause, place, type PlacedNode, until } from "./place.ts"

const { clear, start, stop } = place("pruned")
afterAll(clear)

/** Files so short that most blocks of a regtest chain lie in one that can be removed. */
const SHORT_FILES = { LOCKSTEP_TEST_BLOCK_FILE_BYTES: "20000" }
const PRUNING = ["--set", "storage.pruning.mode=manual"]

interface PeerInfo {
  readonly id: number
  readonly servicesnames: ReadonlyArray<string>
  readonly inflight: ReadonlyArray<number>
}

const height = ({ call }: PlacedNode): Promise<number> => call<number>("getblockcount")

const connect = (from: PlacedNode, to: PlacedNode): Promise<unknown> =>
  from.call("addnode", `127.0.0.1:${to.p2pPort}`, "onetry")

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<PeerInfo>> => call<ReadonlyArray<PeerInfo>>("getpeerinfo")

const part = async (node: PlacedNode): Promise<void> => {
  for (const { id } of await peersOf(node)) await node.call("disconnectnode", "", id)
  await until("no peer is connected", async () => (await peersOf(node)).length === 0)
}

/** Blocks below the tip that a pruned node serves (BIP159). */
const SERVED = 288
const PAIRS = 5

/**
 * Whether a node gets 400 blocks that another makes in one call. On a busy machine it may be left so far behind meanwhile
 * that the other does not serve the next block any more; as with Bitcoin Core it then requests none.
 */
const follows = async (pair: string): Promise<boolean> => {
  const pruned = await start(`maker-${pair}`, PRUNING)
  const other = await start(`follower-${pair}`)
  try {
    await connect(other, pruned)
    // In its initial download it would ask a pruned node for no block at all.
    await other.call("generatetoaddress", 1, ADDRESS)
    await until("the first block is on both", async () => await height(pruned) === 1)
    await pruned.call("generatetoaddress", 400, ADDRESS)
    if (await height(other) < 401 - SERVED + 2) return false
    await until("the other has all", async () => await height(other) === 401)
    return true
  } finally {
    for (const node of [other, pruned]) await stop(node)
  }
}

describe("a node that removes old blocks, over a real socket", () => {
  it(
    "has others follow while it makes more blocks in one call than it serves",
    { timeout: patience(240_000) },
    async () => {
      for (let pair = 0, hasFollowed = false; !hasFollowed; pair++) {
        assert.isBelow(pair, PAIRS)
        hasFollowed = await follows(`${pair}`)
      }
    }
  )

  it("is not followed by a new node before that has a recent block, as with Bitcoin Core", async () => {
    const pruned = await start("first-maker", PRUNING)
    const other = await start("new")
    try {
      await connect(other, pruned)
      await pruned.call("generatetoaddress", 5, ADDRESS)
      await until(
        "headers came",
        async () => (await other.call<{ readonly headers: number }>("getblockchaininfo")).headers === 5
      )
      await pruned.call("generatetoaddress", 1, ADDRESS)
      await pause(1_000)
      assert.strictEqual(await height(other), 0)
      const first = await pruned.call<string>("getblock", await pruned.call<string>("getblockhash", 1), 0)
      assert.isNull(await other.call("submitblock", first))
      await until("it follows", async () => await height(other) === 6)
    } finally {
      for (const node of [other, pruned]) await stop(node)
    }
  }, patience(240_000))

  it(
    "announces itself as limited, is no use at first, serves its last blocks, and disconnects a peer that requests more",
    { timeout: patience(240_000) },
    async () => {
      const whole = await start("whole")
      const pruned = await start("pruned", PRUNING, SHORT_FILES)
      let behind = await start("behind")
      try {
        await whole.call("generatetoaddress", 1_010, ADDRESS)
        await connect(pruned, whole)
        await until("the pruned node has all", async () => await height(pruned) === 1_010)
        const removed = await pruned.call<number>("pruneblockchain", 700)
        assert.isAbove(removed, 600)
        assert.strictEqual(
          (await pruned.call<{ readonly pruneheight: number }>("getblockchaininfo")).pruneheight,
          removed + 1
        )

        // What it has removed comes again from who has it.
        const early = await whole.call<string>("getblockhash", 100)
        const gone = await pruned.call("getblock", early).then(() => "", ({ message }: Error) => message)
        assert.include(gone, "pruned data")
        assert.deepStrictEqual(await pruned.call("getblockfrompeer", early, (await peersOf(pruned))[0]!.id), {})
        await until(
          "the block is there again",
          () => pruned.call("getblock", early, 0).then((block) => typeof block === "string", () => false)
        )
        assert.strictEqual(await pruned.call("getblock", early, 0), await whole.call("getblock", early, 0))
        const twice = await pruned.call("getblockfrompeer", early, (await peersOf(pruned))[0]!.id).then(
          () => "",
          ({ message }: Error) => message
        )
        assert.strictEqual(twice, "Block already downloaded")

        // In its initial download a node asks others for all of the chain.
        await connect(behind, pruned)
        await until(
          "headers came",
          async () => (await behind.call<{ readonly headers: number }>("getblockchaininfo")).headers === 1_010
        )
        await pause(1_000)
        assert.strictEqual(await height(behind), 0)
        assert.deepStrictEqual((await peersOf(behind))[0]?.servicesnames, ["WITNESS", "NETWORK_LIMITED", "P2P_V2"])
        await connect(behind, whole)
        await until("the other node has all", async () => await height(behind) === 1_010)
        await part(behind)

        // A peer a few blocks behind gets them from there.
        await whole.call("generatetoaddress", 100, ADDRESS)
        await until("the pruned node follows", async () => await height(pruned) === 1_110)
        await connect(behind, pruned)
        await until("the other node follows", async () => await height(behind) === 1_110)
        assert.strictEqual(await coinsOf(behind), await coinsOf(whole))

        // Asked for what it does not serve it ends the connection, whether the block is there or not.
        await stop(behind)
        await whole.call("generatetoaddress", 400, ADDRESS)
        await until("the pruned node follows again", async () => await height(pruned) === 1_510)
        behind = await start("behind")
        await connect(behind, pruned)
        await until("the last blocks came", async () => {
          const [peer] = await peersOf(behind)
          return peer !== undefined && peer.inflight.length === 0 &&
            (await behind.call<ReadonlyArray<{ readonly status: string }>>("getchaintips")).some(({ status }) =>
              status === "headers-only"
            )
        })
        await pause(1_000)
        assert.strictEqual(await height(behind), 1_110)
        const [peer] = await peersOf(behind)
        assert.isDefined(peer, "blocks that are not served are not asked for")
        const deep = await whole.call<string>("getblockhash", 1_150)
        await behind.call("getblockfrompeer", deep, peer!.id)
        await until("the connection has ended", async () => (await peersOf(behind)).length === 0)
        await connect(behind, whole)
        await until("what was between came from the whole node", async () => await height(behind) === 1_510)
        assert.strictEqual(await coinsOf(behind), await coinsOf(whole))
      } finally {
        for (const node of [behind, pruned, whole]) await stop(node)
      }
    }
  )
})
