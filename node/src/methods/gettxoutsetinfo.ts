import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CoinSetStatistics } from "../engine/api/coin-calls.ts"
import type { SetHashType } from "../coins/set-walk.ts"
import { displayHash } from "../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { anything, boolean, optional, optionalWith, text } from "./definition/parameter.ts"
import { Amount, Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { invalidParameter, type CallError } from "../queries/call-error.ts"
import { indexState } from "../queries/index-state.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { type BlockName, blockNamed, HashOrHeight } from "./chain/hash-or-height.ts"

const Unspendables = Schema.Struct({
  genesis_block: described(Amount, "The coinbase of the genesis block"),
  bip30: described(Amount, "Coinbases that a later one with the same id replaced"),
  scripts: described(Amount, "Outputs with scripts that cannot be satisfied"),
  unclaimed_rewards: described(Amount, "Fees and subsidy that miners left")
})

const BlockInfo = Schema.Struct({
  prevout_spent: described(Amount, "Outputs spent in this block"),
  coinbase: described(Amount, "Outputs of its coinbase"),
  new_outputs_ex_coinbase: described(Amount, "Outputs of its other transactions"),
  unspendable: described(Amount, "What became unspendable in it"),
  unspendables: described(Unspendables, "The same by cause")
})

const SetInfo = Schema.Struct({
  height: described(Schema.Number, "The height the answer holds at"),
  bestblock: described(Hex, "The block the answer holds at"),
  txouts: described(Schema.Number, "Unspent outputs"),
  bogosize: described(
    Schema.BigInt.annotate({ jsonType: "number" }),
    "A measure of their size that depends on nothing but them"
  ),
  hash_serialized_3: optionalDescribed(Hex, "The hash of the set, serialized (only hash_type hash_serialized_3)"),
  muhash: optionalDescribed(Hex, "The hash of the set, order aside (only hash_type muhash)"),
  total_amount: described(Amount, "All they hold"),
  transactions: optionalDescribed(Schema.Number, "Transactions with unspent outputs (only without the index)"),
  disk_size: optionalDescribed(Schema.Number, "Bytes the set takes on disk, roughly (only without the index)"),
  total_unspendable_amount: optionalDescribed(Amount, "All that became unspendable up to here (only with the index)"),
  block_info: optionalDescribed(BlockInfo, "This block alone (only with the index)")
})

const isHashType = (name: string): name is SetHashType =>
  name === "hash_serialized_3" || name === "muhash" || name === "none"

/**
 * Returns the requested block, or `undefined` for the tip. Fails if the other parameters do not allow a specific block.
 */
const placeOf = Effect.fnUntraced(function*(
  value: JsonRead,
  hashType: SetHashType,
  useIndex: boolean,
  node: MethodNode
): Effect.fn.Return<BlockName | undefined, CallError> {
  if (value === null) return undefined
  const problem = (yield* indexState(node, "coinstatsindex")) === undefined
    ? "Querying specific block heights requires coinstatsindex"
    : hashType === "hash_serialized_3"
    ? "hash_serialized_3 hash type cannot be queried for a specific block"
    : useIndex
    ? undefined
    : "Cannot set use_index to false when querying for a specific block"
  return problem === undefined ? yield* blockNamed(value, node) : yield* Effect.fail(invalidParameter(problem))
})

const indexedFields = ({ index }: CoinSetStatistics) => {
  if (index === undefined) return {}
  const { blockInfo, unspendable } = index
  const { bip30, genesisBlock, scripts, unclaimedRewards } = blockInfo.unspendables
  return {
    total_unspendable_amount: amount(unspendable),
    block_info: {
      prevout_spent: amount(blockInfo.prevoutSpent),
      coinbase: amount(blockInfo.coinbase),
      new_outputs_ex_coinbase: amount(blockInfo.newOutputsExceptCoinbase),
      unspendable: amount(blockInfo.unspendable),
      unspendables: {
        genesis_block: amount(genesisBlock),
        bip30: amount(bip30),
        scripts: amount(scripts),
        unclaimed_rewards: amount(unclaimedRewards)
      }
    }
  }
}

const setInfo = (statistics: CoinSetStatistics, hashType: SetHashType): typeof SetInfo.Type => {
  const { block, bogoSize, height, setHash, sizeOnDisk, total, transactions, txouts } = statistics
  return {
    height,
    bestblock: displayHash(block),
    txouts,
    bogosize: bogoSize,
    ...(hashType === "none" || setHash === undefined ? {} : { [hashType]: displayHash(setHash) }),
    total_amount: amount(total),
    transactions,
    disk_size: sizeOnDisk,
    ...indexedFields(statistics)
  }
}

export const gettxoutsetinfo = method({
  name: "gettxoutsetinfo",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Answers statistics of all unspent outputs. Without the coin statistics index (or with hash_serialized_3) the whole set",
    "is read, which takes a while."
  ].join("\n"),
  parameters: {
    hash_type: optionalWith(
      text({ description: "The hash to make: hash_serialized_3, muhash or none" }),
      "hash_serialized_3"
    ),
    hash_or_height: optional(
      anything({ description: "The block to answer for, with the index; the tip if missing" }, HashOrHeight)
    ),
    use_index: optionalWith(boolean({ description: "Whether the index may answer" }), true)
  },
  result: SetInfo,
  examples: [{ params: [] }, { params: ["none"] }, { params: ["muhash", 1000] }],
  call: Effect.fnUntraced(function*({ hash_or_height = null, hash_type, use_index }, node) {
    if (!isHashType(hash_type)) return yield* Effect.fail(invalidParameter(`'${hash_type}' is not a valid hash_type`))
    const at = yield* placeOf(hash_or_height, hash_type, use_index, node)
    const statistics = yield* node.chain.call("setStatistics", { hashType: hash_type, at, useIndex: use_index })
    return setInfo(statistics, hash_type)
  })
})
