import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { WORKSPACE } from "../workspace.ts"
import { GENERATED } from "./generated.ts"
import { fileText, pathOf } from "./vector.ts"

for (const vectors of GENERATED) {
  const file = join(WORKSPACE, "vectors", pathOf(vectors.rule))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, fileText(vectors))
}
console.log(`wrote ${GENERATED.length} vector files`)
