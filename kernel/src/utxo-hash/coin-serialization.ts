import { sizedLength, writeBytes, writeInt64, writerOf, writeSized, writeUint32 } from "../bytes/writer.ts"
import type { Bytes } from "../quantities.ts"
import type { OutPoint } from "../model/transaction.ts"
import type { Coin } from "../utxo/coin.ts"

/**
 * A coin as the hashes of the UTXO set see it: outpoint, twice its height plus one for a coinbase, value, script.
 *
 * @spec UTX-012 #ba368da8
 */
export const coinBytes = (outpoint: OutPoint, coin: Coin): Bytes => {
  const writer = writerOf(48 + sizedLength(coin.script))
  writeBytes(writer, outpoint.txid)
  writeUint32(writer, outpoint.vout)
  writeUint32(writer, coin.height * 2 + (coin.isCoinbase ? 1 : 0))
  writeInt64(writer, coin.value)
  writeSized(writer, coin.script)
  return writer.bytes
}
