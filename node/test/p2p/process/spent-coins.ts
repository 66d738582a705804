import type { PlacedNode } from "./place.ts"

/** Of the key 1. */
const KEY = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
export const ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"

/** An output that the key spends. */
export interface Output {
  readonly txid: string
  readonly vout: number
  readonly amount: number
  readonly scriptPubKey: string
}

/** A signed transaction. */
export interface Signed {
  readonly hex: string
  readonly txid: string
  readonly wtxid: string
}

/** Mines coins, and answers those that may be spent. */
export const minedCoins = async ({ call }: PlacedNode, count: number): Promise<ReadonlyArray<Output>> => {
  const hashes = await call<ReadonlyArray<string>>("generatetoaddress", 100 + count, ADDRESS)
  return Promise.all(
    hashes.slice(0, count).map(async (hash) => {
      const { tx: [coinbase] } = await call<{
        readonly tx: ReadonlyArray<
          {
            readonly txid: string
            readonly vout: ReadonlyArray<{ readonly value: number; readonly scriptPubKey: { readonly hex: string } }>
          }
        >
      }>("getblock", hash, 2)
      const [paid] = coinbase!.vout
      return { txid: coinbase!.txid, vout: 0, amount: paid!.value, scriptPubKey: paid!.scriptPubKey.hex }
    })
  )
}

/** Spends an output into one of the same script. */
export const spend = async ({ call }: PlacedNode, from: Output): Promise<Signed> => {
  const outputs = [{ [ADDRESS]: (from.amount - 0.0002).toFixed(8) }]
  const raw = await call<string>("createrawtransaction", [{ txid: from.txid, vout: from.vout }], outputs)
  const { hex } = await call<{ readonly hex: string }>("signrawtransactionwithkey", raw, [KEY], [from])
  const { hash, txid } = await call<{ readonly txid: string; readonly hash: string }>("decoderawtransaction", hex)
  return { hex, txid, wtxid: hash }
}
