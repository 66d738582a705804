import { serializedSetHash } from "@lockstep/kernel/internal/utxo-hash/serialized-hash.ts"
import { setStatistics } from "@lockstep/kernel/internal/utxo-hash/statistics.ts"
import { createHash } from "node:crypto"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { coinsText, satoshisOf } from "./amount.ts"
import { muHashOf, sortedCoins } from "./coin-set.ts"
import type { Store } from "./store.ts"

/** Compares the coins with number, amount and MuHash of `utxo`, as they are kept along. */
export const judgeUtxo = ({ coins, crypto }: Store, utxo: Field): Outcome =>
  same("coins", utxo.get("n").integer, coins.table.size) ??
    same("amount", utxo.get("amount").text, coinsText(coins.total)) ??
    same("muhash", utxo.get("muhash").text, displayHexOf(muHashOf(coins, crypto)))

/** Compares the coins with whatever of `gettxoutsetinfo` is in `info`, all of it computed from the coins anew. */
export const judgeSetInfo = ({ coins, crypto, tip }: Store, info: Field): Outcome => {
  const sorted = sortedCoins(coins)
  const statistics = setStatistics(sorted)
  const hash = info.find("hash_serialized_3")
  const muHash = info.find("muhash")
  const transactions = info.find("transactions")
  return same("height", info.get("height").integer, tip.node.height) ??
    same("best block", info.get("bestblock").text, displayHexOf(tip.node.hash)) ??
    same("coins", info.get("txouts").integer, statistics.coins) ??
    same("bogosize", info.get("bogosize").integer, statistics.bogoSize) ??
    same("bogosize kept along", statistics.bogoSize, coins.bogoSize) ??
    same("total amount", satoshisOf(info.get("total_amount").number), statistics.total) ??
    same("total amount kept along", statistics.total, coins.total) ??
    (transactions && same("transactions", transactions.integer, statistics.transactions)) ??
    (hash &&
      same("serialized hash", hash.text, displayHexOf(serializedSetHash(sorted, createHash("sha256"), crypto)))) ??
    (muHash && same("muhash", muHash.text, displayHexOf(muHashOf(coins, crypto))))
}
