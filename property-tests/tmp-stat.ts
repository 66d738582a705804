import fc from "fast-check"
import { anySpend } from "./src/arbitraries/doubtful-spend.ts"
import { flagSet } from "./src/arbitraries/flags.ts"
import { verifyScript } from "./src/oracles/verify-script.ts"
import { kernelVerdict } from "./src/subject/kernel.ts"
const counts = new Map<string, number>()
let bad = 0
for (const [frame, flags] of fc.sample(fc.tuple(anySpend, flagSet), { numRuns: Number(process.argv[2]), seed: Number(process.argv[3]) })) {
  const v = verifyScript({ ...frame, flags })
  counts.set(v, (counts.get(v) ?? 0) + 1)
  if (process.argv[4]) { const k = kernelVerdict({ ...frame, flags }); if (k !== v) { bad++; console.log(k, v) } }
}
console.log([...counts].sort((a, b) => b[1] - a[1]).map(([k, v]) => `${v} ${k}`).join("\n"), bad)
