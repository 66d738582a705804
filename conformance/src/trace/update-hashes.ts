import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Code } from "./code.ts"
import type { Spec } from "./spec.ts"

/**
 * Pins every tag of a rule to the statement as it is now. For use after the function has been read against the changed
 * statement; answers one line per tag it rewrote.
 */
export const updateHashes = (root: string, spec: Spec, code: Code): ReadonlyArray<string> => {
  const changes: Array<string> = []
  for (const [file, text] of code.files) {
    const stale = code.declarations
      .filter((declaration) => declaration.file === file)
      .flatMap(({ name, where, tags }) =>
        tags.map((tag) => ({ ...tag, name, where, wanted: spec.rules.get(tag.id)?.hash }))
      )
      .filter(({ hash, wanted }) => wanted !== undefined && hash !== wanted)
    if (stale.length === 0) continue
    let updated = text
    // From the end, so that earlier offsets stay true.
    for (const { id, start, end, wanted } of stale.toSorted((a, b) => b.start - a.start)) {
      updated = `${updated.slice(0, start)}@spec ${id} #${wanted}${updated.slice(end)}`
    }
    writeFileSync(join(root, file), updated)
    for (const { where, name, id, hash, wanted } of stale) {
      changes.push(`${where}: ${name} ${id} ${hash === undefined ? "" : `#${hash} `}→ #${wanted}`)
    }
  }
  return changes
}
