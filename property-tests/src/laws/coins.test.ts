import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import { type Collected, collectBlock, tableSeed } from "@lockstep/kernel/internal/connect/collect.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { coinBytes } from "@lockstep/kernel/internal/utxo-hash/coin-serialization.ts"
import {
  EMPTY_MUHASH,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/internal/utxo-hash/muhash.ts"
import type { Coin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import { changeCoin, type Overlay, overlayOn } from "@lockstep/kernel/internal/utxo/overlay.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { mutated } from "../arbitraries/bytes.ts"
import { anyScenario, type Scenario, validScenario } from "../arbitraries/world.ts"
import { check } from "../check.ts"
import { blockHash, serializeBlock } from "../oracles/block.ts"
import { join, sameBytes } from "../oracles/byte-string.ts"
import { firstIsCoinbase } from "../oracles/check-block.ts"
import { readHeader } from "../oracles/header.ts"
import { coinsMuHash, outPointOf } from "../oracles/set-hash.ts"
import {
  changesOf,
  kernelBlock,
  kernelChain,
  kernelChild,
  kernelIdentity,
  kernelIds,
  kernelParameters,
  kernelView,
  withChanges
} from "../subject/chain.ts"
import { verdictName } from "../subject/kernel.ts"

const collectFrom = ({ block, place }: Scenario, view: UtxoView): Collected => {
  const node = kernelChild(kernelChain(place.chain), readHeader(block.header))
  return collectBlock(kernelBlock(block), node, kernelIdentity(block), kernelParameters(place.parameters), view)
}

const element = (key: string, coin: Coin): bigint => muHashElement(coinBytes(outPointOf(key), coin), nobleCrypto)

/** The hash of a set kept along with the changes of an overlay. */
const kept = (hash: MuHash, overlay: Overlay): MuHash =>
  changesOf(overlay).reduce((so, [key, before, after]) => {
    const without = before === undefined ? so : muHashRemove(so, element(key, before))
    return after === undefined ? without : muHashInsert(without, element(key, after))
  }, hash)

const digest = (hash: MuHash): Uint8Array => muHashDigest(hash, nobleCrypto)

/** The same coins, held by a stack of overlays in which some were put, taken away and put again. */
const layered = ({ coins }: Scenario): UtxoView => {
  const placed = [...coins].map(([key, coin]) => [outPointOf(key), coin] as const)
  const nothing = overlayOn(kernelView(new Map()), 1, 1)
  for (const [outpoint, coin] of placed) changeCoin(nothing, outpoint, coin)
  const middle = overlayOn(nothing, 1, 2)
  for (const [i, [outpoint]] of placed.entries()) if (i % 2 === 0) changeCoin(middle, outpoint, undefined)
  const top = overlayOn(middle, 1, 3)
  for (const [i, [outpoint, coin]] of placed.entries()) if (i % 2 === 0) changeCoin(top, outpoint, coin)
  return top
}

const DAMAGE: ReadonlyArray<string> = ["BLK-002", "BLK-003", "BLK-011", "BLK-012", "BLK-013"]

describe("law: coins", () => {
  it("connecting keeps the hash of the set, and disconnecting takes it back", () => {
    check(
      fc.property(validScenario, (made) => {
        const { block, place, coins } = made
        const { failure, delta, undo } = collectFrom(made, kernelView(coins))
        agree(failure, undefined)
        const before = [...coins].reduce((hash, [key, coin]) => muHashInsert(hash, element(key, coin)), EMPTY_MUHASH)
        const after = kept(before, delta)
        const connected = withChanges(coins, delta)
        agree(digest(after), coinsMuHash(connected))
        const seed = tableSeed(blockHash(block))
        const undone = disconnectBlock(
          kernelBlock(block),
          kernelIds(block),
          place.chain.length,
          undo,
          kernelView(connected),
          seed
        )
        assert(undone._tag === "Success")
        agree(digest(kept(after, undone.success)), digest(before))
      }),
      25
    )
  })

  it("it does not matter what holds them: a map, or overlays on one another", () => {
    check(
      fc.property(
        anyScenario.filter(
          ({ block }) => firstIsCoinbase(block) === "OK" && block.transactions.every((tx) => tx.inputs.length > 0)
        ),
        (made) => {
          const [plainly, deeply] = [collectFrom(made, kernelView(made.coins)), collectFrom(made, layered(made))]
          agree(deeply.failure, plainly.failure)
          agree(changesOf(deeply.delta), changesOf(plainly.delta))
          agree([deeply.jobs, deeply.undo, deeply.fees], [plainly.jobs, plainly.undo, plainly.fees])
        }
      ),
      150
    )
  })

  it("what is changed behind the header of a valid block is damage, never the header's fault", () => {
    const changed = validScenario.chain((made) => {
      const bytes = serializeBlock(made.block)
      return mutated(fc.constant(bytes.subarray(80))).map((rest) => ({
        made,
        bytes,
        other: join(bytes.subarray(0, 80), rest)
      }))
    })
    check(
      fc.property(changed, ({ made, bytes, other }) => {
        const decoded = decodeBlock(other)
        if (decoded._tag === "Failure" || sameBytes(bytes, other)) return
        const { chain, parameters } = made.place
        const block = decoded.success
        const ids = join(...block.transactions.map((tx) => transactionId(tx, nobleCrypto)))
        const identity = { hash: blockHash(made.block), transactionIds: ids }
        const alone = verdictName(checkBlock(block, identity, kernelParameters(parameters), nobleCrypto))
        const rule = alone === "OK"
          ? verdictName(
            checkBlockInContext(block, identity, kernelChain(chain), kernelParameters(parameters), nobleCrypto)
          )
          : alone
        assert(DAMAGE.includes(rule), rule)
      }),
      600
    )
  })
})
