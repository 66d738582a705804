import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { MutatedFile } from "./kernel-sources.ts"
import { type Mode, rewrite } from "./rewrite.ts"

/**
 * Modules whose values are the words in which cases are written: outside the kernel they stay as they are, or
 * question and answer would change together.
 */
const WORDS = ["kernel/src/script/flags.ts"]

const AS_IT_IS = "?as-it-is"

/** From now on every import of one of `files`, by whatever name, gets its rewritten text. */
export const loadRewritten = (root: string, files: ReadonlyArray<MutatedFile>, mode: Mode): void => {
  const urlOf = (file: string): string => pathToFileURL(join(root, file)).href
  const byUrl = new Map(files.map((file) => [urlOf(file.source.file), file]))
  const words = new Set(WORDS.map(urlOf))
  const kernel = urlOf("kernel/src/")
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context)
      const isOutside = context.parentURL?.startsWith(kernel) !== true
      return words.has(resolved.url) && isOutside ? { ...resolved, url: resolved.url + AS_IT_IS } : resolved
    },
    load: (url, context, nextLoad) => {
      const file = byUrl.get(url)
      if (file === undefined) return nextLoad(url.replace(AS_IT_IS, ""), context)
      return { format: "module-typescript", source: rewrite(file.source, file.sites, mode), shortCircuit: true }
    }
  })
}
