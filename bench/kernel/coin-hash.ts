import type { AvailableProvider } from "../../crypto/src/index.ts"
import { coinBytes } from "../../kernel/src/utxo-hash/coin-serialization.ts"
import { EMPTY_MUHASH, muHashElement, muHashInsert } from "../../kernel/src/utxo-hash/muhash.ts"
import { type Effort, median, race, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"

const COINS = 64

const coins = Array.from({ length: COINS }, (_, vout) => ({
  outpoint: { txid: new Uint8Array(32).fill(vout + 1), vout },
  coin: { value: 5_000_000_000n, script: new Uint8Array(22).fill(vout), height: 800_000, isCoinbase: false }
}))

/** How long it takes to add one coin to the hash of a UTXO set. */
export const coinHashRows = ({ crypto, name }: AvailableProvider, effort: Effort): ReadonlyArray<Row> => {
  let hash = EMPTY_MUHASH
  const [adding] = race([(call) => {
    const { coin, outpoint } = coins[call % COINS]!
    hash = muHashInsert(hash, muHashElement(coinBytes(outpoint, coin), crypto))
  }], effort) as [Timing]
  return [{ name: "coin added to a MuHash", provider: name, value: median(adding) * 1e6, unit: "µs" }]
}
