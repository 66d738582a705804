import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { wireNodes } from "../sockets/wire-node.ts"
import type { Character, ChainPeerFigures } from "./chain-peer.ts"
import { type CompanySync, syncInCompany } from "./company.ts"
import { type MinedFile, minedFile } from "./mined-file.ts"
import { patience } from "../../process/patience.ts"

const HEIGHT = 300
const nodes = wireNodes()
let mined: MinedFile

beforeAll(async () => {
  mined = await minedFile(nodes, HEIGHT)
}, patience(180_000))

afterAll(() => nodes.end())

const named = (peers: ReadonlyArray<ChainPeerFigures>, name: Character): ChainPeerFigures =>
  peers.find((peer) => peer.name === name)!

const isGone = (...names: ReadonlyArray<Character>) => (peers: ReadonlyArray<ChainPeerFigures>): boolean =>
  names.every((name) => !named(peers, name).isOpen)

const sync = (
  characters: ReadonlyArray<Character>,
  isGoodLate: boolean,
  ...gone: ReadonlyArray<Character>
): Promise<CompanySync> =>
  syncInCompany({
    nodes,
    ...mined,
    characters,
    slowBytesPerSecond: 2_000,
    args: [],
    patience: patience(120_000),
    isGoodLate,
    isSettled: isGone(...gone)
  })

describe("a sync over real sockets", () => {
  it(
    "among a slow, a silent and a lying peer ends with the true chain; the liar is discouraged, the silent one replaced",
    { timeout: patience(180_000) },
    async () => {
      const found = await sync(["slow", "staller", "liar", "good"], true, "staller", "liar")
      assert.strictEqual(found.coins, mined.coins)
      assert.strictEqual(found.discouraged, 1)
      assert.match(found.log, /mutated block: bad-(txnmrklroot|witness-merkle-match)/)
      assert.include(found.log, "stalls the block download")
      assert.strictEqual(named(found.peers, "staller").sent, 0)
      assert.isTrue(named(found.peers, "good").isOpen)
      // What the others were asked for and did not send came from the good one.
      assert.isAbove(named(found.peers, "good").asked, HEIGHT / 2)
    }
  )

  it("follows no peer to a longer chain that is invalid", { timeout: patience(180_000) }, async () => {
    const found = await sync(["forker", "good"], true, "forker")
    assert.match(
      found.log,
      /"a block is invalid".*"reason":"bad-cb-amount, coinbase pays too much \(actual=\d+ vs limit=\d+\)","rule":"\w+-\d+"/
    )
    assert.strictEqual(found.coins, mined.coins)
    assert.strictEqual(found.discouraged, 1)
    assert.isTrue(named(found.peers, "good").isOpen)
  })

  it(
    "ends when the only honest peer is a slow one among a silent and a lying one",
    { timeout: patience(180_000) },
    async () => {
      const found = await syncInCompany({
        nodes,
        ...mined,
        characters: ["slow", "staller", "liar"],
        slowBytesPerSecond: 50_000,
        args: ["--set", "ibd.download_timeout_secs=5"],
        patience: patience(120_000),
        isSettled: isGone("liar")
      })
      assert.strictEqual(found.coins, mined.coins)
      assert.isTrue(named(found.peers, "slow").isOpen)
      assert.isAtLeast(named(found.peers, "slow").sent, HEIGHT)
    }
  )
})
