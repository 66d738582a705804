/** Hashes of the set of coins. */
export { coinBytes } from "./utxo-hash/coin-serialization.ts"
export {
  EMPTY_MUHASH,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "./utxo-hash/muhash.ts"
export { compareForHash, serializedSetHash } from "./utxo-hash/serialized-hash.ts"
export { bogoSize, setStatistics, type SetStatistics } from "./utxo-hash/statistics.ts"
