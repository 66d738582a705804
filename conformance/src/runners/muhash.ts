import {
  EMPTY_MUHASH,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/internal/utxo-hash/muhash.ts"
import { displayHexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

/** Multisets of byte strings, some put in and some taken out, and their hash. */
export const muHashes: Runner = function*(file) {
  for (const [i, row] of readJson(file).items.entries()) {
    yield {
      index: String(i),
      name: "hash of a multiset",
      judge: ({ crypto }) => {
        let hash = EMPTY_MUHASH
        for (const { bytes } of row.get("insert").items) hash = muHashInsert(hash, muHashElement(bytes, crypto))
        for (const { bytes } of row.get("remove").items) hash = muHashRemove(hash, muHashElement(bytes, crypto))
        return same("digest", row.get("digestDisplay").text, displayHexOf(muHashDigest(hash, crypto)))
      }
    }
  }
}
