import { assert, describe, it } from "@effect/vitest"
import { recordings, verdictFiles } from "./recorded-rows.ts"
import { replayVerdicts } from "./replay-verdicts.ts"
import { patience } from "../process/patience.ts"

const files = recordings === undefined ? [] : verdictFiles(recordings)

describe.skipIf(files.length === 0)(
  "what Bitcoin Core answered, asked of a running node over HTTP",
  () => {
    for (const { name, path, upTo } of files) {
      it(name, { timeout: patience(240_000) }, async () => {
        const { differences, rows } = await replayVerdicts(path, upTo)
        assert.deepStrictEqual(differences.slice(0, 10), [], `${differences.length} differences`)
        assert.isAbove(rows, 10)
      })
    }
  }
)
