import { MAX_SCRIPT_NUMBER_SIZE } from "@lockstep/kernel/internal/constants.ts"
import { encodeScriptNumber, scriptNumber } from "@lockstep/kernel/internal/interpreter/script-number.ts"
import { hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

/** Objects `{hex, number, bytes?}`; `bytes` is how long the number may be where that is not four. */
export const scriptNumbers: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) {
    const number = row.get("number").integer
    yield {
      index: String(index),
      name: String(number),
      judge: () =>
        same(
          "number",
          number,
          scriptNumber(row.get("hex").bytes, row.find("bytes")?.integer ?? MAX_SCRIPT_NUMBER_SIZE)
        ) ??
          same("encoding", row.get("hex").text, hexOf(encodeScriptNumber(number)))
    }
  }
}
