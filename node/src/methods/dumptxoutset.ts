import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { access, open, rename } from "node:fs/promises"
import { resolve } from "node:path"
import { displayHash } from "../hex.ts"
import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { booleanOf, members, optional, optionalWith, text, withNamed } from "./definition/parameter.ts"
import { described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { knownBlock } from "../queries/block-lookup.ts"
import { blockNamed, HashOrHeight } from "./chain/hash-or-height.ts"

const Options = Schema.Struct({
  rollback: optionalDescribed(HashOrHeight, "The block whose coins are to be written, by hash or height"),
  in_memory: optionalDescribed(Schema.Boolean, "Taken for the sake of other programs: it is always in memory")
})

const Dumped = Schema.Struct({
  coins_written: described(Schema.Number, "Coins in the file"),
  base_hash: described(Hex, "The block where they are unspent"),
  base_height: described(Schema.Number, "Its height"),
  path: described(Schema.String, "The file, with its path"),
  txoutset_hash: described(Hex, "The hash of the set"),
  nchaintx: described(Schema.Number, "Transactions of the chain up to that block")
})

/** Height of the last block whose snapshot Bitcoin Core 31 loads. A custom signet has that of signet. */
const LAST_SNAPSHOT: Readonly<Record<NetworkName, number>> = {
  mainnet: 935_000,
  testnet3: 4_840_000,
  testnet4: 120_000,
  signet: 290_000,
  regtest: 299
}

/** Returns the height to roll back to by default. */
const lastSnapshot = Effect.fnUntraced(function*({ chain, network }: MethodNode): Effect.fn.Return<number, CallError> {
  const height = LAST_SNAPSHOT[network.name]
  const tip = chain.state().height
  return height <= tip
    ? height
    : yield* Effect.fail(invalidParameter(`Target block height ${height} after current tip ${tip}`))
})

/** Returns the height whose coins are requested, or `undefined` for the tip. */
const heightOf = Effect.fnUntraced(function*(
  type: string,
  options: JsonMembers,
  node: MethodNode
): Effect.fn.Return<number | undefined, CallError> {
  const rollback: JsonRead = options.get("rollback") ?? null
  if (rollback !== null) {
    if (type !== "" && type !== "rollback") {
      return yield* Effect.fail(invalidParameter(`Invalid snapshot type "${type}" specified with rollback option`))
    }
    const named = yield* blockNamed(rollback, node)
    if ("height" in named) return named.height
    const { confirmations, height } = yield* knownBlock(node, named.hash)
    return confirmations > 0 ? height : yield* Effect.fail(invalidParameter("Block is not in main chain"))
  }
  if (type === "latest") return undefined
  if (type === "rollback") return yield* lastSnapshot(node)
  return yield* Effect.fail(invalidParameter(
    `Invalid snapshot type "${type}" specified. Please specify "rollback" or "latest"`
  ))
})

const PRUNED = callError(
  "Misc",
  "Could not roll back to requested height since necessary block data is already pruned."
)

/** Fails if the file exists or cannot be written. */
const holdPlace = Effect.fnUntraced(function*(path: string, unfinished: string): Effect.fn.Return<void, CallError> {
  const isThere = yield* Effect.promise(() => access(path).then(() => true, () => false))
  if (isThere) {
    const advice = "already exists. If you are sure this is what you want, move it out of the way first"
    return yield* Effect.fail(invalidParameter(`${path} ${advice}`))
  }
  yield* Effect.tryPromise({
    try: async () => (await open(unfinished, "w")).close(),
    catch: () => invalidParameter(`Couldn't open file ${unfinished} for writing.`)
  })
  return undefined
})

export const dumptxoutset = method({
  name: "dumptxoutset",
  category: "blockchain",
  privilege: "admin",
  description: [
    "Writes all coins into a file, in the format that Bitcoin Core loads with loadtxoutset: those of the tip, or those of",
    "a block before it. The chain stays as it is. What changed since that block is held in memory."
  ].join("\n"),
  parameters: {
    path: text({ description: "The file to write; it is looked for in the data directory unless its path is whole" }),
    type: optionalWith(
      text({ description: "latest: the coins of the tip; rollback: those of a block before it" }),
      "",
      "\"\""
    ),
    options: optional(withNamed(
      members({ description: "rollback: the block, by hash or height" }, Options),
      ["rollback", "in_memory"]
    ))
  },
  result: Dumped,
  examples: [{ params: ["utxo.dat", "latest"] }, { params: ["utxo.dat", "rollback", { rollback: 299 }] }],
  call: Effect.fnUntraced(function*({ options = new JsonMembers([], []), path: given, type }, node) {
    const height = yield* heightOf(type, options, node)
    const memory = options.get("in_memory") ?? null
    if (memory !== null) yield* Effect.fromResult(Result.map(booleanOf(memory), () => undefined))
    const path = resolve(node.dataDirectory, given)
    const unfinished = `${path}.incomplete`
    yield* holdPlace(path, unfinished)
    const { pruneHeight, pruned } = node.chain.state()
    if (height !== undefined && pruned && (pruneHeight ?? 0) > height) return yield* Effect.fail(PRUNED)
    const dumped = yield* node.chain.call("dumpCoins", { file: unfinished, height })
    yield* Effect.promise(() => rename(unfinished, path))
    return {
      coins_written: dumped.coins,
      base_hash: displayHash(dumped.block),
      base_height: dumped.height,
      path,
      txoutset_hash: displayHash(dumped.setHash),
      nchaintx: dumped.transactions
    }
  })
})
