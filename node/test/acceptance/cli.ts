import { recordings, verdictFiles } from "./recorded-rows.ts"
import { replayVerdicts } from "./replay-verdicts.ts"

/**
 * `pnpm test:large`: the recordings with a thousand large blocks, from the first row to the last, asked of a running
 * node.
 */

if (recordings === undefined) {
  console.error("set LOCKSTEP_VECTORS to the directory of the reference vectors")
  process.exit(2)
}
const large = verdictFiles(recordings).filter(({ upTo }) => upTo !== Infinity)
if (large.length === 0) {
  console.error(`there are no recordings with large blocks in ${recordings}`)
  process.exit(2)
}
let failed = 0
for (const { name, path } of large) {
  const started = Date.now()
  const { differences, rows } = await replayVerdicts(path, Infinity)
  console.log(
    `${name}: ${rows} rows, ${differences.length} differences, ${Math.round((Date.now() - started) / 1000)} s`
  )
  for (const difference of differences.slice(0, 20)) console.log(`  ${difference}`)
  failed += differences.length
}
process.exit(failed === 0 ? 0 : 1)
